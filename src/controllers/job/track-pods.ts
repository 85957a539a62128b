import type { Job } from "../../api/batch/v1/job.ts";
import type { JobStatus } from "../../api/batch/v1/job-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { completionIndex } from "./completion-index.ts";
import { isPodFailed } from "./failed-pod.ts";
import { formatIndexes, hasIndex, sizeOf, withIndexes } from "./index-set.ts";
import { type ConditionInput, conditionOf, withCondition } from "./job-conditions.ts";
import { hasValidIndex, isIndexed, type JobFacts } from "./job-facts.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** The most pods that a status lists as uncounted: their uids take about 20 KB. */
const mostUncounted = 500;

/** The first half of counting pods: what to write before finalizers are removed. */
export interface Tracking {
  readonly status: JobStatus;
  /** Pods whose finalizers may be removed once the status is written. */
  readonly release: readonly Pod[];
  /** The condition that ends the job once all of its pods are counted. */
  readonly final: ConditionInput | undefined;
  /** The actions of the failure policy that were taken. */
  readonly actions: readonly string[];
}

/**
 * Lists pods that have ended in the status, by uid. A pod is counted only after it has lost its finalizer,
 * and loses it only after it is listed, so that a restart at any point counts it exactly once:
 *
 * | finalizer | listed | the pod |
 * | --- | --- | --- |
 * | yes | no | is still to be listed |
 * | yes | yes | is to lose its finalizer |
 * | no | yes | is to be counted, and no longer listed |
 * | no | no | is counted |
 *
 * The succeeded indexes of an indexed job are a set, which needs no list.
 */
export function trackPods(facts: JobFacts, { status, verdict, now }: TrackInput): Tracking {
  const { job, pods, indexes } = facts;
  const tracked = pods.filter(isTracked);
  const begun = countReleased(status, uidsOf(tracked));
  const { succeeded = [], failed = [] } = begun.uncountedTerminatedPods ?? {};
  const listed = { succeeded: new Set(succeeded), failed: new Set(failed) };
  const newIndexes = new Set<number>();
  const release: Pod[] = [];
  const actions: string[] = [];
  const isFull = (): boolean =>
    newIndexes.size + listed.succeeded.size + listed.failed.size >= mostUncounted;
  const releasable = inOrder(tracked, job).filter((pod) => mayRelease(pod, facts, verdict));
  for (const pod of releasable) {
    release.push(pod);
    const { uid = "" } = pod.metadata;
    const { list, index, action } = entryOf(pod, facts, { verdict, failed: listed.failed });
    if (list) listed[list].add(uid);
    if (index !== undefined) newIndexes.add(index);
    if (action !== undefined) actions.push(action);
    if (isFull()) break;
  }
  return {
    status: {
      ...begun,
      ...(indexes && indexStatus(facts, newIndexes)),
      uncountedTerminatedPods: uncounted({
        succeeded: [...listed.succeeded],
        failed: [...listed.failed],
      }),
      conditions: interimConditions(status, verdict, now),
    },
    release,
    // The rest is counted in the next reconcile, which the new status leads to.
    final: isFull() ? undefined : finalCondition(verdict),
    actions,
  };
}

/** Where a pod is noted before it loses its finalizer. */
interface Entry {
  readonly list?: "succeeded" | "failed";
  readonly index?: number;
  readonly action?: string | undefined;
}

function entryOf(
  pod: Pod,
  { job, indexes }: JobFacts,
  {
    verdict,
    failed,
  }: {
    readonly verdict: ConditionInput | undefined;
    readonly failed: ReadonlySet<string>;
  },
): Entry {
  if (failed.has(pod.metadata.uid ?? "") || !hasValidIndex(pod, job)) return {};
  if (pod.status.phase === "Succeeded") {
    if (!indexes) return { list: "succeeded" };
    const index = completionIndex(pod) ?? 0;
    return hasIndex(indexes.counted, index) ? {} : { index };
  }
  // In a job that fails, pods that run count as failed.
  const isEnding = verdict !== undefined && verdict.type !== "SuccessCriteriaMet";
  if (!isEnding && !isPodFailed(pod, job)) return {};
  const { action, isCounted } = matchFailurePolicy(job.spec.podFailurePolicy, pod);
  return { action, ...(isCounted && { list: "failed" }) };
}

interface TrackInput {
  /** The status with the numbers of pods as they are now. */
  readonly status: JobStatus;
  readonly verdict: ConditionInput | undefined;
  readonly now: number;
}

/** The status with those pods counted that were listed and have no finalizer any more. */
export function countReleased(status: JobStatus, withFinalizer: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => withFinalizer.has(uid)),
    failed: failed.filter((uid) => withFinalizer.has(uid)),
  };
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - left.failed.length,
    uncountedTerminatedPods: uncounted(left),
  };
}

export const uidsOf = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.map(({ metadata }) => metadata.uid ?? ""));

const uncounted = ({
  succeeded,
  failed,
}: {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}): JobStatus["uncountedTerminatedPods"] => ({
  ...(succeeded.length > 0 && { succeeded }),
  ...(failed.length > 0 && { failed }),
});

/** Indexes are completed in order. */
const inOrder = (pods: readonly Pod[], job: Job): readonly Pod[] =>
  isIndexed(job)
    ? pods.toSorted((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1))
    : pods;

/** Whether a pod may lose its finalizer: it has ended, or the whole job has. */
function mayRelease(
  pod: Pod,
  { job, indexes }: JobFacts,
  verdict: ConditionInput | undefined,
): boolean {
  if (job.metadata.deletionTimestamp || verdict || pod.status.phase === "Succeeded") return true;
  if (!isPodFailed(pod, job)) return false;
  const index = completionIndex(pod);
  const replaced = index === undefined ? undefined : indexes?.replaced.get(index);
  return replaced?.metadata.uid !== pod.metadata.uid || replaced === undefined;
}

function indexStatus({ indexes }: JobFacts, newIndexes: ReadonlySet<number>): Partial<JobStatus> {
  const succeeded = withIndexes(indexes?.succeeded ?? [], newIndexes);
  const text = formatIndexes(succeeded);
  return {
    succeeded: sizeOf(succeeded),
    completedIndexes: text === "" ? undefined : text,
    failedIndexes: indexes?.failed && formatIndexes(indexes.failed),
  };
}

/** A new verdict is written before the finalizers of pods are removed, so that it is never lost. */
function interimConditions(
  { conditions = [], ...status }: JobStatus,
  verdict: ConditionInput | undefined,
  now: number,
): JobStatus["conditions"] {
  const isInterim = verdict?.type === "SuccessCriteriaMet" || verdict?.type === "FailureTarget";
  if (!isInterim || conditionOf({ ...status, conditions }, verdict.type)) return conditions;
  return withCondition(conditions, verdict, now);
}

function finalCondition(verdict: ConditionInput | undefined): ConditionInput | undefined {
  if (!verdict) return undefined;
  const { reason, message } = verdict;
  const type = verdict.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  return { type, status: "True", reason, message };
}
