import type { Condition } from "../../api/meta/v1/condition.ts";
import { isRejected, type Status, statusMessage } from "../framework/status.ts";

/** Why no pod of a group is bound: the group as a whole does not fit. */
export class PodGroupUnschedulableError extends Error {
  override readonly name = "PodGroupUnschedulableError";

  constructor() {
    super("pod group is unschedulable");
  }
}

/** What came of a pod of a group, as if those before it were on their nodes. */
export interface PodOutcome {
  /** Why it fits no node; undefined if it does. */
  readonly status?: Status | undefined;
  /** The node to nominate if it does not fit; `""` clears the nomination. */
  readonly nominatedNode?: string | undefined;
  /** Whether it will fit the nominated node once others are evicted there. */
  readonly needsPreemption: boolean;
  /** Set if permit plugins have it wait: its group is not complete. */
  readonly wait?: Status | undefined;
}

/** What is to be done with a group. */
export interface GroupOutcome {
  /** Undefined: the pods that fit are bound. */
  readonly status?: Status | undefined;
  readonly waitsForPreemption: boolean;
}

/** Decides on a group by its pods, in the order in which they were tried. */
export function groupOutcome(pods: readonly PodOutcome[]): GroupOutcome {
  let outcome: GroupOutcome = { status: unschedulable(), waitsForPreemption: false };
  let needsPreemption = false;
  for (const pod of pods) {
    if (pod.status && !pod.needsPreemption) {
      if (isRejected(pod.status)) continue;
      return { status: failedWith(pod.status), waitsForPreemption: false };
    }
    needsPreemption ||= pod.needsPreemption;
    // A pod that does not have to wait completes the group.
    if (pod.wait) continue;
    outcome = needsPreemption
      ? {
          status: unschedulable("pod group is waiting for preemption to complete"),
          waitsForPreemption: true,
        }
      : { waitsForPreemption: false };
  }
  return outcome;
}

/** Whether a pod ends the attempt of its group: it met an error. */
export const endsGroup = ({ status, needsPreemption }: PodOutcome): boolean =>
  status !== undefined && !needsPreemption && !isRejected(status);

/** A pod is not bound, because its group is not. */
function unschedulable(...reasons: readonly string[]): Status {
  const error = new PodGroupUnschedulableError();
  return { code: "Unschedulable", reasons: [error.message, ...reasons], error };
}

export interface PodFailure {
  readonly status: Status;
  readonly nominatedNode?: string | undefined;
}

/** With what a pod returns to the queue; undefined: it is bound. `node` is the one that it fits. */
export function podFailure(
  pod: PodOutcome,
  group: GroupOutcome,
  node: string,
): PodFailure | undefined {
  const rejected = { status: unschedulable(...(pod.wait?.reasons ?? [])), nominatedNode: "" };
  if (group.status && !isRejected(group.status)) {
    const isOwn = pod.status !== undefined && !isRejected(pod.status);
    return { status: isOwn ? (pod.status as Status) : group.status, nominatedNode: "" };
  }
  if (pod.status) {
    if (pod.needsPreemption && !group.waitsForPreemption) return rejected;
    return { status: pod.status, nominatedNode: pod.nominatedNode };
  }
  if (!group.status) return undefined;
  return group.waitsForPreemption ? { status: group.status, nominatedNode: node } : rejected;
}

/** The result in metrics. */
export function resultOf({ status, waitsForPreemption }: GroupOutcome): string {
  if (!status) return "scheduled";
  if (!isRejected(status)) return "error";
  return waitsForPreemption ? "waiting_on_preemption" : "unschedulable";
}

type ScheduledCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The condition of a group. */
export function groupCondition({ status }: GroupOutcome): ScheduledCondition {
  const type = "PodGroupScheduled";
  if (!status) return { type, status: "True", reason: "Scheduled", message: "" };
  const reason = isRejected(status) ? "Unschedulable" : "SchedulerError";
  return { type, status: "False", reason, message: statusMessage(status) };
}

function failedWith(status: Status): Status {
  const message = `failed to schedule other pod from a pod group: ${statusMessage(status)}`;
  const error = new Error(message, { cause: status.error });
  return { code: "Error", reasons: [message], error };
}
