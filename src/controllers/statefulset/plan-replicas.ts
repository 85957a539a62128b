import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable, isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { revisionNameOf } from "./stateful-pod.ts";

/** How replicas are judged. */
export interface ReplicaRules {
  /** Whether replicas follow each other: each waits until those before it are available. */
  readonly isOrdered: boolean;
  readonly minReadySeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a replica that is wanted needs. */
export interface ReplicaPlan {
  readonly action: "create" | "delete" | "keep" | "none";
  /** Whether later replicas have to wait for this one. */
  readonly isBlocking: boolean;
}

/** Decides on a wanted replica, which may not exist. One that has terminated is deleted, and comes back under its name. */
export function planReplica(pod: Pod | undefined, rules: ReplicaRules): ReplicaPlan {
  const { isOrdered } = rules;
  if (!pod) return { action: "create", isBlocking: isOrdered };
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (pod.status.phase === "Failed" || pod.status.phase === "Succeeded")
    return { action: isGoing ? "none" : "delete", isBlocking: isOrdered };
  const isBlocking = isOrdered && (isGoing || !isRunning(pod) || isUnavailable(pod, rules));
  return { action: isBlocking ? "none" : "keep", isBlocking };
}

/** Which of the pods that are not wanted are deleted now: all of them, or the one of the highest ordinal. */
export function condemnedToDelete(
  condemned: readonly Pod[],
  firstUnavailable: Pod | undefined,
  rules: ReplicaRules,
): readonly Pod[] {
  const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
  if (!rules.isOrdered) return condemned.filter((pod) => !isGoing(pod));
  const [first] = condemned;
  if (!first || isGoing(first)) return [];
  const isUp = isRunning(first) && !isUnavailable(first, rules);
  return isUp || first === firstUnavailable ? [first] : [];
}

/** The pod that a rolling update replaces next: the last one of another revision, if those after it are available. */
export function nextToUpdate(
  replicas: readonly (Pod | undefined)[],
  { partition, revision }: { readonly partition: number; readonly revision: string },
  rules: ReplicaRules,
): Pod | undefined {
  for (let i = replicas.length - 1; i >= partition; i--) {
    const pod = replicas[i];
    if (!pod) return undefined;
    if (revisionNameOf(pod) !== revision && !pod.metadata.deletionTimestamp) return pod;
    if (isUnavailable(pod, rules)) return undefined;
  }
  return undefined;
}

/** The pods that a rolling update replaces now: the last ones of another revision, while few enough are unavailable. */
export function podsToUpdate(
  replicas: readonly (Pod | undefined)[],
  {
    partition,
    revision,
    maxUnavailable,
  }: { readonly partition: number; readonly revision: string; readonly maxUnavailable: number },
  rules: ReplicaRules,
): readonly Pod[] {
  const unavailable = unavailableCount(replicas, rules);
  return replicas
    .slice(partition)
    .filter((pod) => pod !== undefined)
    .filter((pod) => revisionNameOf(pod) !== revision && !pod.metadata.deletionTimestamp)
    .toReversed()
    .slice(0, Math.max(maxUnavailable - unavailable, 0));
}

/** How many replicas are missing or unavailable. */
export const unavailableCount = (
  replicas: readonly (Pod | undefined)[],
  rules: ReplicaRules,
): number => replicas.filter((pod) => !pod || isUnavailable(pod, rules)).length;

/** Whether a pod is not available, or about to end. */
export const isUnavailable = (pod: Pod, { minReadySeconds, now }: ReplicaRules): boolean =>
  !isPodAvailable(pod, minReadySeconds, now) || pod.metadata.deletionTimestamp !== undefined;

const isRunning = (pod: Pod): boolean => pod.status.phase === "Running" && isPodReady(pod);
