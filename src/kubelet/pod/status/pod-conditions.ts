import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodCondition } from "../../../api/core/v1/pod/pod-status.ts";
import { isSidecar } from "../container/restart-policy.ts";
import type { PodPhase } from "./pod-phase.ts";

/** A condition without its times. */
export type Finding = Pick<PodCondition, "type" | "status"> & {
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly message?: string;
};

export interface ConditionsInput {
  readonly pod: Pod;
  readonly phase: PodPhase;
  /** The statuses of init containers and of others. */
  readonly statuses: readonly ContainerStatus[];
  readonly hasSandbox: boolean;
  /** The conditions that others own. */
  readonly others: readonly PodCondition[];
}

/** Whether the kubelet owns a condition. */
export const isKubeletCondition = (type: string): boolean => kubeletConditions.has(type);

const kubeletConditions = new Set([
  "PodScheduled",
  "Ready",
  "Initialized",
  "ContainersReady",
  "PodResizeInProgress",
  "PodResizePending",
  "PodReadyToStartContainers",
  "AllContainersRestarting",
]);

/** The kubelet's conditions of a pod, in upstream's order. */
export function podConditions(input: ConditionsInput): Finding[] {
  const { pod, hasSandbox } = input;
  const { generation } = pod.metadata;
  const containersReady = containersReadyFinding(input);
  const found: Finding[] = [
    { type: "PodReadyToStartContainers", status: hasSandbox ? "True" : "False" },
    initializedFinding(input),
    readyFinding(input, containersReady),
    containersReady,
    { type: "PodScheduled", status: "True" },
  ];
  return found.map(({ type, ...rest }) => ({
    type,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...rest,
  }));
}

function containersReadyFinding({ pod, phase, statuses }: ConditionsInput): Finding {
  const type = "ContainersReady";
  const { containers = [], initContainers = [] } = pod.spec;
  const watched = [...initContainers.filter(isSidecar), ...(containers ?? [])];
  const unknown: string[] = [];
  const unready: string[] = [];
  for (const { name } of watched) {
    const status = statuses.find((one) => one.name === name);
    if (!status) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  if (phase === "Succeeded" && unknown.length === 0) return notReady(type, "PodCompleted");
  if (phase === "Failed") return notReady(type, "PodFailed");
  const message = listed({ unknown, unready });
  if (message !== "") return { type, status: "False", reason: "ContainersNotReady", message };
  return { type, status: "True" };
}

/** A pod is ready when its containers are ready and the conditions of its readiness gates are true. */
function readyFinding({ pod, others }: ConditionsInput, containersReady: Finding): Finding {
  const type = "Ready";
  if (containersReady.status !== "True") return { ...containersReady, type };
  const messages: string[] = [];
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const gate = others.find((condition) => condition.type === conditionType);
    if (!gate)
      messages.push(
        `corresponding condition of pod readiness gate "${conditionType}" does not exist.`,
      );
    else if (gate.status !== "True")
      messages.push(
        `the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`,
      );
  }
  if (messages.length === 0) return { type, status: "True" };
  const message = messages.join(", ");
  return { type, status: "False", reason: "ReadinessGatesNotReady", message };
}

function initializedFinding({ pod, phase, statuses }: ConditionsInput): Finding {
  const type = "Initialized";
  const { containers = [], initContainers = [] } = pod.spec;
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of initContainers) {
    const { name } = container;
    const status = statuses.find((one) => one.name === name);
    if (!status) unknown.push(name);
    else if (!(isSidecar(container) ? status.started : status.ready)) incomplete.push(name);
  }
  if (phase === "Succeeded" && unknown.length === 0)
    return { type, status: "True", reason: "PodCompleted" };
  const names = new Set((containers ?? []).map(({ name }) => name));
  const hasBegun = statuses.some(
    ({ name, state }) => names.has(name) && (state?.running || state?.terminated),
  );
  const wasInitialized = pod.status.conditions?.some(
    (condition) => condition.type === type && condition.status === "True",
  );
  const message = listed({ unknown, incomplete });
  if (hasBegun || message === "" || wasInitialized) return { type, status: "True" };
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

const notReady = (type: string, reason: string): Finding =>
  ({ type, status: "False", reason }) as Finding;

/** `containers with unready status: [a b]`, and so on. */
function listed(kinds: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(kinds)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `containers with ${kind} status: [${names.join(" ")}]`)
    .join(", ");
}
