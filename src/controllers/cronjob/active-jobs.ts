import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { CronJobStatus } from "../../api/batch/v1/cron-job-spec.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import { holds, isFinished } from "../../api/batch/v1/job-status.ts";
import type { ObjectReference } from "../../api/core/v1/object-reference.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import { scheduledTime } from "./scheduled-job.ts";

/** A status, and the events of its change. */
export interface ActiveChange {
  readonly status: CronJobStatus;
  readonly events: readonly RecordedEvent[];
}

/** Whether a job is in the list of active ones. */
export const isActive = ({ active = [] }: CronJobStatus, { metadata }: Job): boolean =>
  active.some(({ uid }) => uid === metadata.uid);

/** The status without an active job. */
export const withoutActive = (status: CronJobStatus, uid: string | undefined): CronJobStatus => ({
  ...status,
  active: (status.active ?? []).filter((one) => one.uid !== uid),
});

/** The status with one more active job. */
export function withActive(status: CronJobStatus, job: Job): CronJobStatus {
  const { apiVersion, kind, metadata } = job;
  const { namespace, name, uid, resourceVersion } = metadata;
  const reference: ObjectReference = { kind, namespace, name, uid, apiVersion, resourceVersion };
  return { ...status, active: [...(status.active ?? []), reference] };
}

/** The status with jobs of later times than it knows: they were created, and writing that failed. */
export function noticeForgotten(
  { status: before }: Pick<CronJob, "status">,
  jobs: readonly Job[],
): CronJobStatus {
  const last = timeOf(before.lastScheduleTime) ?? Number.NEGATIVE_INFINITY;
  const forgotten = jobs
    .flatMap((job) => ({ job, time: scheduledTime(job) ?? Number.NEGATIVE_INFINITY }))
    .filter(({ time }) => time > last)
    .sort((a, b) => a.time - b.time);
  return forgotten.reduce((status, { job, time }) => {
    const known =
      isFinished(job.status) || isActive(status, job) ? status : withActive(status, job);
    return { ...known, lastScheduleTime: new Date(time).toISOString().replace(".000Z", "Z") };
  }, before);
}

/** Takes finished jobs off the list, notes the last success, and names jobs that nobody expected. */
export function noticeJobs(before: CronJobStatus, jobs: readonly Job[]): ActiveChange {
  let status = before;
  const events: RecordedEvent[] = [];
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    if (!isFinished(job.status)) {
      if (isActive(status, job)) continue;
      const note = `Saw a job that the controller did not create or forgot: ${name}`;
      events.push({ type: "Warning", reason: "UnexpectedJob", note });
      continue;
    }
    const condition = holds(job.status, "Complete") ? "Complete" : "Failed";
    if (isActive(status, job)) {
      status = withoutActive(status, uid);
      const note = `Saw completed job: ${name}, condition: ${condition}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", note });
    }
    if (condition === "Complete") status = withSuccess(status, job.status.completionTime);
  }
  return { status, events };
}

function withSuccess(status: CronJobStatus, time: string | undefined): CronJobStatus {
  const last = timeOf(status.lastSuccessfulTime) ?? Number.NEGATIVE_INFINITY;
  return (timeOf(time) ?? Number.NEGATIVE_INFINITY) > last
    ? { ...status, lastSuccessfulTime: time }
    : status;
}

/** The finished jobs of one outcome that exceed the limit of history, the oldest first. */
export function excessHistory(
  jobs: readonly Job[],
  condition: "Complete" | "Failed",
  limit: number | undefined,
): readonly Job[] {
  if (limit === undefined) return [];
  const finished = jobs.filter(({ status }) => holds(status, condition)).sort(byStart);
  return finished.slice(0, Math.max(0, finished.length - limit));
}

/** Jobs that never started come last. */
function byStart(a: Job, b: Job): number {
  const [startA, startB] = [a, b].map(
    ({ status }) => timeOf(status.startTime) ?? Number.POSITIVE_INFINITY,
  );
  if (startA !== startB) return (startA ?? 0) < (startB ?? 0) ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
