import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { createPods, deletePods, type Fault } from "./change-pods.ts";
import type { FailureRecord } from "./failure-backoff.ts";
import type { ConditionInput } from "./job-conditions.ts";
import type { JobFacts } from "./job-facts.ts";
import { jobMetrics, type SyncAction } from "./job-metrics.ts";
import { completion } from "./job-verdict.ts";
import { planPods } from "./plan-pods.ts";
import { suspension } from "./suspension.ts";

/** What became of the pods of a job. */
export interface Managed {
  /** The status with the numbers of pods that are left. */
  readonly status: JobStatus;
  /** The condition that ends the job; undefined if it goes on, or not all of its pods could be deleted. */
  readonly verdict: ConditionInput | undefined;
  readonly action: SyncAction;
  /** When the next pods may be created, if they have to wait. */
  readonly waitMs?: number | undefined;
  readonly event?: RecordedEvent | undefined;
  readonly fault?: Fault | undefined;
}

interface ManageInput {
  readonly verdict: ConditionInput | undefined;
  readonly backoff: FailureRecord;
  readonly now: number;
  /** The group in which new pods are scheduled. */
  readonly group: PodGroup | undefined;
}

/** Creates and deletes pods of a job; those of a job that ends are all deleted. */
export async function managePods(
  ctx: ReconcileContext,
  facts: JobFacts,
  { verdict, backoff, now, group }: ManageInput,
): Promise<Managed> {
  const { job } = facts;
  if (verdict) {
    const { active } = facts;
    const done = await deletePods(ctx, job, { pods: active, isReleased: false });
    const isAll = done.deleted === active.length;
    const status = countsOf(facts, { deleted: done.deleted, ready: done.ready });
    return {
      status,
      verdict: isAll ? verdict : undefined,
      action: "reconciling",
      fault: done.fault,
    };
  }
  const changed = job.metadata.deletionTimestamp
    ? ({ changes: {}, action: "reconciling" } as const)
    : await changePods(ctx, facts, { plan: planPods(facts, backoff, now), group });
  const status = countsOf(facts, changed.changes);
  const { action, fault, waitMs } = changed;
  const complete = completion(facts, status.active ?? 0);
  if (complete || job.metadata.deletionTimestamp)
    return { status, verdict: complete, action, fault, waitMs };
  return { verdict: undefined, action, fault, waitMs, ...suspension(job, status, now) };
}

interface PodChanges {
  readonly deleted?: number;
  readonly ready?: number;
  readonly created?: number;
}

interface Changed {
  readonly changes: PodChanges;
  readonly action: SyncAction;
  readonly waitMs?: number | undefined;
  readonly fault?: Fault | undefined;
}

async function changePods(
  ctx: ReconcileContext,
  facts: JobFacts,
  { plan, group }: Pick<ManageInput, "group"> & { readonly plan: ReturnType<typeof planPods> },
): Promise<Changed> {
  const { job, indexes } = facts;
  if (plan.type === "none") return { changes: {}, action: "tracking" };
  if (plan.type === "wait") return { changes: {}, action: "pods_created", waitMs: plan.ms };
  if (plan.type === "delete") {
    const done = await deletePods(ctx, job, { pods: plan.pods, isReleased: true });
    return { changes: done, action: "pods_deleted", fault: done.fault };
  }
  const replaced = indexes?.replaced;
  const done = await createPods(ctx, job, { indexes: plan.indexes, replaced, group });
  jobMetrics(ctx.metrics).created(facts, done);
  return { changes: { created: done.succeeded }, action: "pods_created", fault: done.fault };
}

/** The status of a job with its numbers of pods after changes. */
function countsOf(
  { job, active, terminating, ready }: JobFacts,
  { deleted = 0, ready: deletedReady = 0, created = 0 }: PodChanges,
): JobStatus {
  const left = active.length + created - deleted;
  return {
    ...job.status,
    active: left,
    terminating: terminating + deleted,
    ready: ready - deletedReady,
  };
}
