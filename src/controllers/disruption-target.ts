import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { PodCondition } from "../api/core/v1/pod/pod-status.ts";
import type { Clock } from "../base/clock.ts";
import { findCondition } from "../controller-runtime/objects/conditions.ts";
import { formatTime, timeFromMillis } from "../schema/values/time.ts";

export interface DisruptionReason {
  readonly reason: string;
  readonly message: string;
}

/** The condition with the reason why a pod is evicted; undefined if the pod has it already. */
export function disruptionTarget(
  { metadata: { generation }, status }: Pod,
  { reason, message }: DisruptionReason,
  clock: Pick<Clock, "now">,
): Omit<PodCondition, "lastProbeTime"> | undefined {
  const old = findCondition(status.conditions, type);
  const isSaid = old?.status === "True";
  if (isSaid && old.reason === reason && old.message === message) return undefined;
  const now = formatTime(timeFromMillis(clock.now()));
  return {
    type,
    ...(generation && { observedGeneration: generation }),
    status: "True",
    lastTransitionTime: isSaid ? old.lastTransitionTime : now,
    reason,
    message,
  };
}

const type = "DisruptionTarget";
