import { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { Fault } from "./change-pods.ts";
import { finishedStatus } from "./finish-job.ts";
import type { ConditionInput } from "./job-conditions.ts";
import type { JobFacts } from "./job-facts.ts";
import { jobMetrics } from "./job-metrics.ts";
import type { Managed } from "./manage-pods.ts";
import { countReleased, trackPods, uidsOf } from "./track-pods.ts";
import { isTracked, releasePod } from "./tracking-finalizer.ts";

interface Progress {
  readonly facts: JobFacts;
  readonly managed: Managed;
  /** Called once the status lists the pods that have ended. */
  onListed(): void;
}

/**
 * Counts pods that have ended: writes the status that lists them, removes their finalizers, and writes the
 * status that counts them, with the condition that ends the job if all are counted.
 */
export async function recordProgress(
  ctx: ReconcileContext,
  cached: Job,
  { facts, managed, onListed }: Progress,
): Promise<void> {
  const { status, verdict, event } = managed;
  const now = ctx.clock.now();
  const { release, final, actions, ...tracked } = trackPods(facts, { status, verdict, now });
  const listed = await writeStatus(ctx, cached, tracked.status);
  if (listed !== cached) onListed();
  if (event) ctx.events.record(cached, event);
  jobMetrics(ctx.metrics).policyActions(actions);
  const { released, fault } = await releasePods(ctx, release);
  const held = facts.pods.filter((pod) => isTracked(pod) && !released.has(pod));
  const counted = countReleased(listed.status, uidsOf(held));
  const finished = fault ? undefined : finishedStatus(counted, final, now);
  const last = await writeStatus(ctx, listed, finished ?? counted);
  if (fault) throw fault.error;
  if (finished && final) recordEnd(ctx, last, final);
}

/** Writes a status that differs; resolves with the job as it is then. */
async function writeStatus(
  { client, metrics, signal }: ReconcileContext,
  job: Job,
  wanted: JobStatus,
): Promise<Job> {
  const status = withoutZeros(wanted);
  if (sameJson(status, job.status)) return job;
  const written = await client.update(Job, { ...job, status }, { subresource: "status", signal });
  jobMetrics(metrics).counted(job, { before: job.status, after: status });
  return written;
}

/** Counts of zero are not written, but for those that may be absent. */
function withoutZeros(status: JobStatus): JobStatus {
  const { active, succeeded, failed, conditions, ...rest } = status;
  const present = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...(conditions && conditions.length > 0 && { conditions }),
    ...(Object.fromEntries(present) as Partial<JobStatus>),
    ...(active && { active }),
    ...(succeeded && { succeeded }),
    ...(failed && { failed }),
  };
}

async function releasePods(
  ctx: ReconcileContext,
  pods: readonly Pod[],
): Promise<{ readonly released: ReadonlySet<Pod>; readonly fault: Fault | undefined }> {
  const results = await Promise.allSettled(pods.map((pod) => releasePod(ctx, pod)));
  const failed = results.find((result) => result.status === "rejected");
  const released = pods.filter((_, i) => results[i]?.status === "fulfilled");
  return { released: new Set(released), fault: failed && { error: failed.reason } };
}

/** Records the events and the metric of a job that has ended. */
function recordEnd({ events, metrics }: ReconcileContext, job: Job, final: ConditionInput): void {
  const { spec, status } = job;
  const { type, reason = "", message = "" } = final;
  jobMetrics(metrics).finished(job, type, reason);
  if (type !== "Complete") {
    events.record(job, { type: "Warning", reason, note: message });
    return;
  }
  if ((status.succeeded ?? 0) > (spec.completions ?? Number.POSITIVE_INFINITY)) {
    const note = "Too many succeeded pods running after completion count reached";
    events.record(job, { type: "Warning", reason: "TooManySucceededPods", note });
  }
  events.record(job, { type: "Normal", reason: "Completed", note: "Job completed" });
}
