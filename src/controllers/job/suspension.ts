import type { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { withCondition } from "./job-conditions.ts";
import { isSuspended } from "./job-facts.ts";

/** A status after a job was suspended or resumed, and the event of that. */
export interface Suspension {
  readonly status: JobStatus;
  readonly event?: RecordedEvent;
}

/** Notes that a job is suspended or was resumed; a resumed one starts anew, as its deadline does. */
export function suspension(job: Job, status: JobStatus, now: number): Suspension {
  const isHeld = isSuspended(job);
  const condition = isHeld
    ? ({ status: "True", reason: "JobSuspended", message: "Job suspended" } as const)
    : ({ status: "False", reason: "JobResumed", message: "Job resumed" } as const);
  const before = status.conditions ?? [];
  const conditions = withCondition(before, { type: "Suspended", ...condition }, now);
  if (conditions === before) return { status };
  const startTime = isHeld ? undefined : formatTime(timeFromMillis(now));
  return {
    status: { ...status, conditions, startTime },
    event: {
      type: "Normal",
      reason: isHeld ? "Suspended" : "Resumed",
      note: condition.message,
    },
  };
}
