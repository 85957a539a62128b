import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** Whether a pod is replaced only once it has failed, not as soon as it is being deleted. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

/** Whether a pod counts as failed: one that is being deleted does, unless the job waits for its end. */
export function isPodFailed({ metadata, status }: Pod, job: Job): boolean {
  if (status.phase === "Failed") return true;
  if (replacesOnlyFailed(job)) return false;
  return metadata.deletionTimestamp !== undefined && status.phase !== "Succeeded";
}
