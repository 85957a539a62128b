import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodTerminating } from "../../api/core/v1/pod/pod-state.ts";
import { activePodOrder } from "./active-pod-order.ts";
import { allFailures, completionIndex, indexesOf } from "./completion-index.ts";
import { replacesOnlyFailed } from "./failed-pod.ts";
import { type FailureRecord, remainingBackoff } from "./failure-backoff.ts";
import { finishedAt } from "./finished-at.ts";
import type { IndexFacts } from "./index-facts.ts";
import { absentIndexes, union, withIndexes } from "./index-set.ts";
import {
  hasValidIndex,
  isIndexed,
  isSuspended,
  type JobFacts,
  limitsEachIndex,
} from "./job-facts.ts";

/** What is to happen to the pods of a job: either some are deleted, or some are created. */
export type PodPlan =
  | { readonly type: "none" }
  | { readonly type: "delete"; readonly pods: readonly Pod[] }
  /** One pod for each entry, which is its index in an indexed job. */
  | { readonly type: "create"; readonly indexes: readonly (number | undefined)[] }
  /** Pods failed so recently that the next ones have to wait. */
  | { readonly type: "wait"; readonly ms: number };

/** The most pods that one reconcile creates or deletes. */
const mostAtOnce = 500;

export function planPods(facts: JobFacts, backoff: FailureRecord, now: number): PodPlan {
  const { job, active } = facts;
  if (isSuspended(job)) return { type: "delete", pods: active };
  const wanted = wantedPods(facts);
  const excess = excessPods(job, active, Math.max(0, active.length - wanted));
  if (excess.length > 0) return { type: "delete", pods: excess.slice(0, mostAtOnce) };
  const terminating = replacesOnlyFailed(job) ? facts.terminating : 0;
  const lacking = Math.min(wanted - terminating - active.length, mostAtOnce);
  if (lacking <= 0) return { type: "none" };
  const ms = limitsEachIndex(job) ? 0 : remainingBackoff(backoff, now);
  if (ms > 0) return { type: "wait", ms };
  const { indexes } = facts;
  if (!indexes)
    return { type: "create", indexes: Array.from({ length: lacking }, () => undefined) };
  const pending = pendingIndexes(facts, indexes, lacking);
  const waits = pending.map((index) => indexBackoff(indexes.replaced.get(index), now));
  const due = pending.filter((_, i) => waits[i] === 0);
  if (due.length === 0 && pending.length > 0) return { type: "wait", ms: Math.min(...waits) };
  return { type: "create", indexes: due };
}

/** How many pods should be active. */
function wantedPods({ job: { spec }, active, succeeded }: JobFacts): number {
  const { parallelism = 1, completions } = spec;
  // Once a pod has succeeded, those that run are left to end.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** The pods to delete: those without an index of their own, and more until there are `least`. */
function excessPods(job: Job, active: readonly Pod[], least: number): readonly Pod[] {
  if (!isIndexed(job)) return activePodOrder(active).slice(0, least);
  const excess: Pod[] = active.filter((pod) => !hasValidIndex(pod, job));
  const kept: Pod[] = [];
  const byIndex = new Map<number | undefined, readonly Pod[]>();
  for (const pod of active.filter((pod) => hasValidIndex(pod, job)))
    byIndex.set(completionIndex(pod), [...(byIndex.get(completionIndex(pod)) ?? []), pod]);
  for (const pods of byIndex.values()) {
    const ordered = activePodOrder(pods);
    excess.push(...ordered.slice(0, -1));
    kept.push(...ordered.slice(-1));
  }
  return [...excess, ...activePodOrder(kept).slice(0, Math.max(0, least - excess.length))];
}

/** The first indexes that need a pod. */
function pendingIndexes(
  { job, pods, active }: JobFacts,
  { succeeded, failed = [] }: IndexFacts,
  count: number,
): readonly number[] {
  const going = replacesOnlyFailed(job) ? pods.filter(isPodTerminating) : [];
  const taken = withIndexes(union(succeeded, failed), indexesOf([...active, ...going]));
  return absentIndexes(taken, count, job.spec.completions ?? 0);
}

function indexBackoff(replaced: Pod | undefined, now: number): number {
  if (!replaced) return 0;
  const lastFailure = finishedAt(replaced);
  return remainingBackoff({ failures: allFailures(replaced) + 1, lastFailure }, now);
}
