import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";

/** When a pod must have ended, in milliseconds since the epoch; undefined where it may take its time. */
export function activeDeadline({ spec }: Pod, status: PodStatus): number | undefined {
  const { activeDeadlineSeconds: seconds } = spec;
  const start = timeOf(status.startTime ?? undefined);
  if (seconds === undefined || start === undefined) return undefined;
  return start + seconds * 1000;
}

/** Why a pod ends that was active for too long. */
export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};
