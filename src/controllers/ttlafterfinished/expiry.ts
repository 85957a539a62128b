import type { Job } from "../../api/batch/v1/job.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";

/** When a job expires, in milliseconds since the epoch; undefined if it has not ended, or is to stay. */
export function expiryOf({ metadata, spec, status }: Job): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  if (ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp) return undefined;
  const end = status.conditions?.find(
    (one) => (one.type === "Complete" || one.type === "Failed") && one.status === "True",
  );
  const time = timeOf(end?.lastTransitionTime ?? undefined);
  return time === undefined ? undefined : time + ttlSecondsAfterFinished * 1000;
}
