import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { CronJobStatus } from "../../api/batch/v1/cron-job-spec.ts";
import { Job } from "../../api/batch/v1/job.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { isActive, withActive, withoutActive } from "./active-jobs.ts";
import { observeSkew } from "./cron-job-metrics.ts";
import { scheduledJob } from "./scheduled-job.ts";
import { startedAt } from "./start-decision.ts";

/** Deletes the active jobs if the policy is to replace them; resolves with the status without them. */
export async function replaceActive(
  ctx: ReconcileContext,
  cronJob: CronJob,
): Promise<CronJobStatus> {
  const { spec } = cronJob;
  let { status } = cronJob;
  if (spec.concurrencyPolicy !== "Replace") return status;
  for (const { namespace, name = "" } of status.active ?? []) {
    const job = await ctx.client.get(Job, { namespace, name }).catch((error: unknown) => {
      const note = `Get job: ${errorMessage(error)}`;
      ctx.events.record(cronJob, { type: "Warning", reason: "FailedGet", note });
      throw error;
    });
    if (!(await deleteJob(ctx, cronJob, job)))
      throw new Error(`could not replace job ${namespace}/${name}`);
    status = withoutActive(status, job.metadata.uid);
  }
  return status;
}

/** Deletes a job with its pods; resolves with false, after an event, if that failed. */
export async function deleteJob(
  { client, events, signal }: ReconcileContext,
  cronJob: CronJob,
  job: Job,
): Promise<boolean> {
  const { name, uid } = job.metadata;
  try {
    await client.delete(Job, keyOf(job), {
      propagationPolicy: "Background",
      preconditions: { uid },
      signal,
    });
  } catch (error) {
    // The job is gone, or another one has its name.
    if (StatusError.is(error, "NotFound", "Conflict")) return true;
    const note = `Deleted job: ${errorMessage(error)}`;
    events.record(cronJob, { type: "Warning", reason: "FailedDelete", note });
    return false;
  }
  events.record(cronJob, {
    type: "Normal",
    reason: "SuccessfulDelete",
    note: `Deleted job ${name}`,
  });
  return true;
}

/** Creates the job of a time; resolves with the status that lists it, or undefined if it is another's. */
export async function startJob(
  ctx: ReconcileContext,
  cronJob: CronJob,
  time: number,
): Promise<CronJobStatus | undefined> {
  const { client, events, metrics, signal } = ctx;
  const input = scheduledJob(cronJob, time);
  let job: Job;
  try {
    job = await client.create(Job, input, { signal });
    observeSkew(metrics, (timeOf(job.metadata.creationTimestamp) ?? time) - time);
    const note = `Created job ${job.metadata.name}`;
    events.record(cronJob, { type: "Normal", reason: "SuccessfulCreate", note });
  } catch (error) {
    if (!StatusError.is(error, "AlreadyExists")) {
      const note = `Error creating job: ${errorMessage(error)}`;
      if (!isNamespaceGoing(error))
        events.record(cronJob, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
    // It was created before a restart, which came before the status was written.
    job = await client.get(Job, keyOf(input), { signal });
    if (!isControlledBy(job, cronJob) || isActive(cronJob.status, job)) return undefined;
  }
  return withActive(startedAt(cronJob, time).status, job);
}
