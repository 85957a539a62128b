import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { type ConditionInput, withCondition } from "./job-conditions.ts";

/** The status of a job that has ended; undefined while pods are uncounted or still being deleted. */
export function finishedStatus(
  status: JobStatus,
  final: ConditionInput | undefined,
  now: number,
): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (!final || succeeded.length + failed.length > 0 || (status.terminating ?? 0) > 0)
    return undefined;
  return {
    ...status,
    conditions: withCondition(status.conditions ?? [], final, now),
    ...(final.type === "Complete" && { completionTime: formatTime(timeFromMillis(now)) }),
  };
}
