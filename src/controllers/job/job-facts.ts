import type { Job } from "../../api/batch/v1/job.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodActive, isPodReady, isPodTerminating } from "../../api/core/v1/pod/pod-state.ts";
import { completionIndex } from "./completion-index.ts";
import { isPodFailed } from "./failed-pod.ts";
import { type IndexFacts, indexFacts } from "./index-facts.ts";
import { sizeOf } from "./index-set.ts";
import { matchFailurePolicy } from "./pod-failure-policy.ts";
import { isTracked } from "./tracking-finalizer.ts";

/** What is known of a job and its pods when it is reconciled. */
export interface JobFacts {
  readonly job: Job;
  /** All pods that the job controls, terminated ones included. */
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly terminating: number;
  readonly ready: number;
  /** Pods that have ended and are in no count of the status yet. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  /** How many pods, or indexes, have succeeded, new ones included. */
  readonly succeeded: number;
  /** How many failures of pods count towards the limit, new ones included. */
  readonly failed: number;
  /** Undefined unless the job is indexed. */
  readonly indexes: IndexFacts | undefined;
}

export function jobFacts(job: Job, pods: readonly Pod[]): JobFacts {
  const { spec, status } = job;
  const { succeeded: uncountedSuccesses = [], failed: uncountedFailures = [] } =
    status.uncountedTerminatedPods ?? {};
  const active = pods.filter(isPodActive);
  const known = new Set([...uncountedSuccesses, ...uncountedFailures]);
  const uncounted = pods.filter(
    (pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? "") && hasValidIndex(pod, job),
  );
  const newSucceeded = uncounted.filter((pod) => pod.status.phase === "Succeeded");
  const newFailed = uncounted.filter((pod) => isPodFailed(pod, job));
  const counted = newFailed.filter(
    (pod) => matchFailurePolicy(spec.podFailurePolicy, pod).isCounted,
  );
  const indexes = isIndexed(job) ? indexFacts(job, pods, active) : undefined;
  return {
    job,
    pods,
    active,
    terminating: pods.filter(isPodTerminating).length,
    ready: active.filter(isPodReady).length,
    newSucceeded,
    newFailed,
    succeeded: indexes
      ? sizeOf(indexes.succeeded)
      : (status.succeeded ?? 0) + newSucceeded.length + uncountedSuccesses.length,
    failed: (status.failed ?? 0) + counted.length + uncountedFailures.length,
    indexes,
  };
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

export const isSuspended = ({ spec }: Job): boolean => spec.suspend ?? false;

/** Whether failures are limited for each index, and not for the whole job. */
export const limitsEachIndex = ({ spec }: Job): boolean => spec.backoffLimitPerIndex !== undefined;

/** Whether a pod of an indexed job runs for one of its indexes; pods of other jobs need none. */
export function hasValidIndex(pod: Pod, job: Job): boolean {
  if (!isIndexed(job)) return true;
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec.completions ?? 0);
}
