import { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { CronJobStatus } from "../../api/batch/v1/cron-job-spec.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { isFinished } from "../../api/batch/v1/job-status.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import {
  excessHistory,
  isActive,
  noticeForgotten,
  noticeJobs,
  withoutActive,
} from "./active-jobs.ts";
import { nextScheduleIn } from "./missed-schedule.ts";
import { scheduleOf } from "./schedule-of.ts";
import { startDecision } from "./start-decision.ts";
import { deleteJob, replaceActive, startJob } from "./start-job.ts";

/** Creates jobs at the times of a schedule, each of which is a timer, and keeps a history of them. */
export const cronJobController = controller({
  name: "cronjob-controller",
  for: CronJob,
  // A new schedule starts nothing at once, even if one of its times has just passed.
  delayMs: (event, now) =>
    event.type === "updated" && isRescheduled(event.object, event.old)
      ? nextOf(event.object, now)
      : 0,
  owns: [Job],

  async reconcile(key, ctx) {
    const found = await ctx.cache.get(CronJob, key);
    if (!found) return;
    const jobs = await ctx.cache.controlledBy(Job, found);
    const cached = await noteForgotten(ctx, found, jobs);
    const cleaned = await cleanUp(ctx, cached, jobs);
    const { cronJob, fault, nextMs } = await sync(ctx, cleaned, jobs);
    await writeStatus(ctx, cached, cronJob);
    if (fault) throw fault.error;
    return nextMs === undefined ? undefined : { requeueAfterMs: Math.max(1, nextMs) };
  },
});

const isRescheduled = ({ spec }: CronJob, { spec: old }: CronJob): boolean =>
  spec.schedule !== old.schedule || spec.timeZone !== old.timeZone;

function nextOf(cronJob: CronJob, now: number): number {
  try {
    return nextScheduleIn(cronJob, scheduleOf(cronJob), now) ?? 0;
  } catch {
    // The reconcile says what is wrong with the schedule.
    return 0;
  }
}

const withStatus = (cronJob: CronJob, status: CronJobStatus): CronJob => ({ ...cronJob, status });

/**
 * Writes what an earlier reconcile could not write after it had created a job. Until that is written, no job may be
 * deleted: only its name keeps the job of that time from being created again.
 */
async function noteForgotten(
  { client, signal }: ReconcileContext,
  cronJob: CronJob,
  jobs: readonly Job[],
): Promise<CronJob> {
  const status = noticeForgotten(cronJob, jobs);
  if (status === cronJob.status) return cronJob;
  return client.update(CronJob, { ...cronJob, status }, { subresource: "status", signal });
}

/** Deletes the oldest finished jobs beyond the limits of history. */
async function cleanUp(
  ctx: ReconcileContext,
  cronJob: CronJob,
  jobs: readonly Job[],
): Promise<CronJob> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  let { status } = cronJob;
  for (const job of [
    ...excessHistory(jobs, "Complete", successfulJobsHistoryLimit),
    ...excessHistory(jobs, "Failed", failedJobsHistoryLimit),
  ])
    if (await deleteJob(ctx, cronJob, job)) status = withoutActive(status, job.metadata.uid);
  return withStatus(cronJob, status);
}

interface Synced {
  /** The cron job with its new status. */
  readonly cronJob: CronJob;
  readonly nextMs?: number | undefined;
  /** An error that ends the reconcile once the status is written. */
  readonly fault?: { readonly error: unknown };
}

/** Brings the list of active jobs up to date, and starts a job that is due. */
async function sync(ctx: ReconcileContext, begun: CronJob, jobs: readonly Job[]): Promise<Synced> {
  let cronJob = begun;
  try {
    const known = await withLatestActive(ctx, cronJob, jobs);
    const noticed = noticeJobs(known, jobs);
    for (const event of noticed.events) ctx.events.record(cronJob, event);
    cronJob = withStatus(cronJob, noticed.status);
    cronJob = withStatus(cronJob, await withoutMissing(ctx, cronJob, jobs));
    const { time, nextMs, events } = startDecision(cronJob, ctx.clock.now());
    for (const event of events) ctx.events.record(cronJob, event);
    if (time === undefined) return { cronJob, nextMs };
    cronJob = withStatus(cronJob, await replaceActive(ctx, cronJob));
    const status = await startJob(ctx, cronJob, time);
    // The job of this time is another's: the next change or time leads on.
    return status ? { cronJob: withStatus(cronJob, status), nextMs } : { cronJob, nextMs };
  } catch (error) {
    return { cronJob, fault: { error } };
  }
}

/** The status with active jobs that the server knows of, and the cache does not yet. */
async function withLatestActive(
  { client, signal }: ReconcileContext,
  cronJob: CronJob,
  jobs: readonly Job[],
): Promise<CronJobStatus> {
  const { status } = cronJob;
  if (jobs.every((job) => isFinished(job.status) || isActive(status, job))) return status;
  const fresh = await client.get(CronJob, keyOf(cronJob), { signal });
  const present = (status.active ?? []).map(({ uid }) => uid);
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  const more = (fresh.status.active ?? []).filter(
    ({ uid }) => !present.includes(uid) && known.has(uid),
  );
  return { ...status, active: [...(status.active ?? []), ...more] };
}

/** Takes jobs off the list of active ones that neither the cache nor the server has. */
async function withoutMissing(
  { client, events, signal }: ReconcileContext,
  cronJob: CronJob,
  jobs: readonly Job[],
): Promise<CronJobStatus> {
  let { status } = cronJob;
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  for (const { namespace, name = "", uid } of status.active ?? []) {
    if (known.has(uid)) continue;
    try {
      await client.get(Job, { namespace, name }, { signal });
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) throw error;
      const note = `Active job went missing: ${name}`;
      events.record(cronJob, { type: "Normal", reason: "MissingJob", note });
      status = withoutActive(status, uid);
    }
  }
  return status;
}

/** Writes a status that differs; after a conflict the reconcile is repeated. */
async function writeStatus(
  { client, signal }: ReconcileContext,
  cached: CronJob,
  { status: { active = [], ...rest } }: CronJob,
): Promise<void> {
  const status = { ...(active.length > 0 && { active }), ...rest };
  if (sameJson(status, cached.status)) return;
  await client.update(CronJob, { ...cached, status }, { subresource: "status", signal });
}
