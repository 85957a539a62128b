import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";

/** The active deadline of a pod in milliseconds since the epoch; undefined if it has none. */
export function activeDeadline({ spec }: Pod, status: PodStatus): number | undefined {
  const { activeDeadlineSeconds: seconds } = spec;
  const start = timeOf(status.startTime ?? undefined);
  if (seconds === undefined || start === undefined) return undefined;
  return start + seconds * 1000;
}

/** The reason and message of a pod that exceeded its active deadline. */
export const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};
