import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { allFailures, completionIndex, failureCount, indexesOf } from "./completion-index.ts";
import { isPodFailed } from "./failed-pod.ts";
import { finishedAt } from "./finished-at.ts";
import { hasIndex, type IndexSet, parseIndexes, withIndexes } from "./index-set.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** What is known of the indexes of a job. */
export interface IndexFacts {
  /** Those that the status has. */
  readonly counted: IndexSet;
  readonly succeeded: IndexSet;
  /** Undefined unless failures are limited for each index. */
  readonly failed: IndexSet | undefined;
  /**
   * The last failed pod of indexes that need another pod. It keeps its finalizer until then, because the
   * new pod gets its count of failures from it.
   */
  readonly replaced: ReadonlyMap<number, Pod>;
}

export function indexFacts(job: Job, pods: readonly Pod[], active: readonly Pod[]): IndexFacts {
  const { status, spec } = job;
  const completions = spec.completions ?? 0;
  const tracked = pods.filter((pod) => {
    const index = completionIndex(pod);
    return isTracked(pod) && index !== undefined && index < completions;
  });
  const counted = parseIndexes(status.completedIndexes, completions);
  const successes = tracked.filter((pod) => pod.status.phase === "Succeeded");
  const succeeded = withIndexes(counted, indexesOf(successes));
  if (spec.backoffLimitPerIndex === undefined)
    return { counted, succeeded, failed: undefined, replaced: new Map() };
  const failures = tracked.filter((pod) => isIndexFailed(pod, job));
  const before = parseIndexes(status.failedIndexes, completions);
  const failed = withIndexes(before, indexesOf(failures));
  const running = new Set(indexesOf(active));
  const isOpen = (index: number): boolean =>
    !hasIndex(succeeded, index) && !hasIndex(failed, index) && !running.has(index);
  return { counted, succeeded, failed, replaced: lastFailures(job, tracked, isOpen) };
}

function isIndexFailed(pod: Pod, job: Job): boolean {
  if (!isPodFailed(pod, job)) return false;
  const { action, isCounted } = matchFailurePolicy(job.spec.podFailurePolicy, pod);
  if (action === "FailIndex") return true;
  return isCounted && failureCount(pod) >= (job.spec.backoffLimitPerIndex ?? 0);
}

function lastFailures(
  job: Job,
  pods: readonly Pod[],
  isOpen: (index: number) => boolean,
): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of pods) {
    const index = completionIndex(pod);
    if (index === undefined || !isPodFailed(pod, job) || !isOpen(index)) continue;
    const other = last.get(index);
    const isLater =
      !other || (allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other));
    if (isLater) last.set(index, pod);
  }
  return last;
}
