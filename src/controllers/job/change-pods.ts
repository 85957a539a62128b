import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import type { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { slowStart } from "../../controller-runtime/reconcile/slow-start.ts";
import { createPod, deletePod } from "../pod-control.ts";
import { indexedPod, trackedPod } from "./pod-template.ts";
import { releasePod } from "./tracking-finalizer.ts";

/** An error that ends a reconcile once its status is written. */
export interface Fault {
  readonly error: unknown;
}

export interface Deletions {
  readonly deleted: number;
  /** How many of them were ready. */
  readonly ready: number;
  readonly fault: Fault | undefined;
}

/** Deletes pods; `isReleased`: without counting them, unless they have just ended. */
export async function deletePods(
  ctx: ReconcileContext,
  job: Job,
  { pods, isReleased }: { readonly pods: readonly Pod[]; readonly isReleased: boolean },
): Promise<Deletions> {
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      // Upstream does not look: a pod that ends at this moment is in no count there.
      if (isReleased) await releasePod(ctx, pod, { isUnchanged: true });
      await deletePod(ctx, job, pod);
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  const deleted = pods.filter((_, i) => results[i]?.status === "fulfilled");
  return {
    deleted: deleted.length,
    ready: deleted.filter(isPodReady).length,
    fault: failed && { error: failed.reason },
  };
}

export interface Creations {
  readonly succeeded: number;
  /** How many calls failed; those that were not tried are in neither. */
  readonly failed: number;
  readonly fault: Fault | undefined;
}

export interface NewPods {
  readonly indexes: readonly (number | undefined)[];
  /** The failed pods whose place they take. */
  readonly replaced: ReadonlyMap<number, Pod> | undefined;
  /** The group in which they are scheduled. */
  readonly group: PodGroup | undefined;
}

/** Creates a pod for each index. */
export async function createPods(
  ctx: ReconcileContext,
  job: Job,
  { indexes, replaced, group }: NewPods,
): Promise<Creations> {
  let failed = 0;
  const result = await slowStart(indexes.length, async (i) => {
    const index = indexes[i];
    const pod =
      index === undefined ? trackedPod(job) : indexedPod(job, index, replaced?.get(index));
    try {
      await createPod(ctx, job, group ? ofGroup(pod, group) : pod);
    } catch (error) {
      failed++;
      throw error;
    }
  });
  const fault = "error" in result ? { error: result.error } : undefined;
  return { succeeded: result.successes, failed, fault };
}

/** A pod that is scheduled with the others of a group. Only the job owns it. */
const ofGroup = (
  pod: ReturnType<typeof trackedPod>,
  { metadata: { name: podGroupName } }: PodGroup,
): typeof pod => ({ ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName } } });
