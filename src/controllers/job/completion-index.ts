import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** The annotation and label of pods of an indexed job. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** The index for which a pod runs; undefined if its annotation is none. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  if (text === undefined || !/^\+?\d{1,18}$/.test(text)) return undefined;
  return Number(text);
}

/** The indexes of pods. */
export const indexesOf = (pods: readonly Pod[]): readonly number[] =>
  pods.map(completionIndex).filter((index) => index !== undefined);

/** How many pods of its index failed before a pod, and count towards the limit. */
export const failureCount = (pod: Pod): number => countIn(pod, failureCountAnnotation);

/** How many pods of its index failed before a pod, and were ignored by the failure policy. */
export const ignoredFailureCount = (pod: Pod): number =>
  countIn(pod, ignoredFailureCountAnnotation);

/** All failures of its index before a pod. */
export const allFailures = (pod: Pod): number => failureCount(pod) + ignoredFailureCount(pod);

/** Users may write anything into annotations: what is no int32 counts as none. */
function countIn({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? "";
  const count = /^\+?\d{1,10}$/.test(text) ? Number(text) : 0;
  return count < 2 ** 31 ? count : 0;
}
