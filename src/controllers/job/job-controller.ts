import { Job } from "../../api/batch/v1/job.ts";
import { isFinished, type JobStatus } from "../../api/batch/v1/job-status.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { itemBackoff } from "../../base/queue/rate-limiter.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
  ReconcileResult,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { claimObjects } from "../claim-objects.ts";
import { possibleOwners } from "../possible-owners.ts";
import { type FailureRecord, nextRecord, noFailures } from "./failure-backoff.ts";
import { isSuspended, jobFacts } from "./job-facts.ts";
import { jobMetrics, type SyncAction } from "./job-metrics.ts";
import { deadlineIn, jobVerdict } from "./job-verdict.ts";
import { managePods } from "./manage-pods.ts";
import { otherManager } from "./managed-by.ts";
import { recordProgress } from "./record-progress.ts";
import { trackingFinalizer } from "./tracking-finalizer.ts";
import { jobPodGroup, workloadIndexes } from "./workload/job-pod-group.ts";

/** Events of pods and of the status lead to one reconcile a second; changes of the spec to one at once. */
const batchMs = 1000;

export interface JobControllerOptions {
  /** The feature WorkloadWithJob: pods of indexed jobs that all run at the same time are scheduled together. */
  readonly makesWorkloads: boolean;
}

/** Runs the pods of jobs until enough of them have succeeded, and counts them. */
export function jobController(
  { makesWorkloads }: JobControllerOptions = { makesWorkloads: false },
): Controller {
  /** Failures that delay new pods; a restart forgets them, as upstream's does. */
  const records = new Map<string, FailureRecord>();
  return controller({
    name: "job-controller",
    for: Job,
    delayMs: (event) =>
      event.type === "updated" && event.object.metadata.generation === event.old.metadata.generation
        ? batchMs
        : 0,
    owns: [{ kind: Pod, delayMs: () => batchMs }],
    watches: [
      {
        kind: Pod,
        map: possibleOwners(Job, ({ spec }) => labelSelector(spec.selector)),
        delayMs: () => batchMs,
      },
    ],
    indexes: makesWorkloads ? workloadIndexes : [],
    rateLimiter: () => itemBackoff({ base: 1000, max: 60_000 }),

    async reconcile(key, ctx) {
      const job = await ctx.cache.get(Job, key);
      if (!job || isFinished(job.status)) {
        records.delete(formatKey(key));
        return;
      }
      if (otherManager(job) !== undefined) return;
      const { completionMode = "NonIndexed" } = job.spec;
      if (completionMode !== "NonIndexed" && completionMode !== "Indexed") {
        const note = "Skipped Job sync because completion mode is unknown";
        ctx.events.record(job, { type: "Warning", reason: "UnknownCompletionMode", note });
        return;
      }
      return sync(ctx, job, { records, makesWorkloads });
    },
  });
}

/** Reconciles a job that has not ended, and measures that. */
async function sync(
  ctx: ReconcileContext,
  job: Job,
  {
    records,
    makesWorkloads,
  }: JobControllerOptions & {
    readonly records: Map<string, FailureRecord>;
  },
): Promise<ReconcileResult | undefined> {
  const metrics = jobMetrics(ctx.metrics);
  const begun = ctx.clock.now();
  let action: SyncAction = "reconciling";
  const synced = (result: "success" | "error"): void =>
    metrics.synced(job, { result, action, ms: ctx.clock.now() - begun });
  try {
    const result = await reconcileJob(ctx, job, {
      makesWorkloads,
      record: records.get(formatKey(keyOf(job))) ?? noFailures,
      remember: (record) => void records.set(formatKey(keyOf(job)), record),
      acted: (what) => {
        action = what;
      },
    });
    synced("success");
    return result;
  } catch (error) {
    synced("error");
    throw error;
  }
}

interface JobSync extends JobControllerOptions {
  readonly record: FailureRecord;
  remember(record: FailureRecord): void;
  acted(action: SyncAction): void;
}

async function reconcileJob(
  ctx: ReconcileContext,
  cached: Job,
  { record, remember, acted, makesWorkloads }: JobSync,
): Promise<ReconcileResult | undefined> {
  const now = ctx.clock.now();
  const job = started(cached, now);
  const pods = await claimPods(ctx, cached);
  const group = makesWorkloads ? await jobPodGroup(ctx, cached, pods) : undefined;
  const facts = jobFacts(job, pods);
  const backoff = nextRecord(record, { succeeded: facts.newSucceeded, failed: facts.newFailed });
  const verdict = jobVerdict(facts, now);
  const managed = await managePods(ctx, facts, { verdict, backoff, now, group });
  acted(managed.action);
  await recordProgress(ctx, cached, {
    facts,
    managed,
    onListed: () => remember(backoff),
  });
  if (managed.fault) throw managed.fault.error;
  const deadline = verdict ? undefined : deadlineIn(job, now);
  const waits = [managed.waitMs, deadline].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
}

/** A job starts at its first reconcile in which it is not suspended. */
function started(job: Job, now: number): Job {
  if (job.status.startTime !== undefined || isSuspended(job)) return job;
  const status: JobStatus = { ...job.status, startTime: formatTime(timeFromMillis(now)) };
  return { ...job, status };
}

async function claimPods(ctx: ReconcileContext, job: Job): Promise<readonly Pod[]> {
  const controlled = await ctx.cache.controlledBy(Pod, job);
  const orphans = await ctx.cache.orphans(Pod, job.metadata.namespace);
  const selector = labelSelector(job.spec.selector);
  return claimObjects(
    ctx,
    {
      owner: job,
      ownerKind: Job,
      kind: Pod,
      matches: ({ metadata: { labels } }: Pod) => selector.matches(labels),
      finalizer: trackingFinalizer,
    },
    [...controlled, ...orphans],
  );
}
