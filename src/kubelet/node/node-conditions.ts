import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import { timeText } from "../pod/container/container-statuses.ts";
import type { NodeFindings, NodePressure } from "./node-findings.ts";

/** A condition of a node without its times. */
export interface NodeConditionFinding extends Pick<NodeCondition, "status"> {
  readonly type: NodePressure | "Ready";
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a node; Ready is the last. */
export function nodeConditionFindings({
  pressures = [],
  problems = [],
  warning,
}: NodeFindings): readonly NodeConditionFinding[] {
  const pressed = pressureTypes.map((type): NodeConditionFinding => {
    const isPressed = pressures.includes(type);
    return { type, status: isPressed ? "True" : "False", ...words[type][isPressed ? 1 : 0] };
  });
  const ready: NodeConditionFinding =
    problems.length === 0
      ? { type: "Ready", status: "True", ...words.Ready[0] }
      : { type: "Ready", status: "False", ...words.Ready[1], message: aggregateMessage(problems) };
  const message = warning === undefined ? ready.message : `${ready.message}. WARNING: ${warning}`;
  return [...pressed, { ...ready, message }];
}

/** Adds times to the conditions of a kubelet, and keeps the conditions of others. */
export function withConditionTimes(
  findings: readonly NodeConditionFinding[],
  previous: readonly NodeCondition[],
  now: number,
): NodeCondition[] {
  const time = timeText(now);
  const own = findings.map((found): NodeCondition => {
    const old = previous.find(({ type }) => type === found.type);
    const since = old?.status === found.status ? old.lastTransitionTime : time;
    return { ...found, lastHeartbeatTime: time, lastTransitionTime: since } as NodeCondition;
  });
  const others = previous.filter(({ type }) => !findings.some((found) => found.type === type));
  return [...others, ...own];
}

/** The reasons of the events for the changes of a kubelet's conditions. */
export function nodeTransitions(
  before: readonly NodeCondition[],
  after: readonly NodeCondition[],
): readonly string[] {
  return after
    .filter(({ type, status }) => {
      if (!Object.hasOwn(words, type)) return false;
      const old = before.find((condition) => condition.type === type);
      // A node that was never ready has not become unready.
      if (!old && type === "Ready") return status === "True";
      return old?.status !== status;
    })
    .map(({ reason = "" }) => reason.replace(/^Kubelet/, "Node"));
}

const pressureTypes = ["MemoryPressure", "DiskPressure", "PIDPressure"] as const;

/** The words of each condition where all is well, and where it is not. */
const words = {
  MemoryPressure: [
    {
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    {
      reason: "KubeletHasInsufficientMemory",
      message: "kubelet has insufficient memory available",
    },
  ],
  DiskPressure: [
    { reason: "KubeletHasNoDiskPressure", message: "kubelet has no disk pressure" },
    { reason: "KubeletHasDiskPressure", message: "kubelet has disk pressure" },
  ],
  PIDPressure: [
    { reason: "KubeletHasSufficientPID", message: "kubelet has sufficient PID available" },
    { reason: "KubeletHasInsufficientPID", message: "kubelet has insufficient PID available" },
  ],
  Ready: [
    { reason: "KubeletReady", message: "kubelet is posting ready status" },
    { reason: "KubeletNotReady", message: "" },
  ],
} as const;
