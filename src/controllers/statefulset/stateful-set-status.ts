import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { StatefulSetStatus } from "../../api/apps/v1/stateful-set-spec.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable, isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { revisionNameOf } from "./stateful-pod.ts";

/** The input of the status of a stateful set. */
export interface StatefulSetFacts {
  readonly pods: readonly Pod[];
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly collisionCount: number;
  /** How many pods of the current revision were just deleted for the update. */
  readonly replaced: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status that a stateful set should have. */
export function statefulSetStatus(
  { metadata, spec }: StatefulSet,
  facts: StatefulSetFacts,
): StatefulSetStatus {
  const { pods, updateRevision, collisionCount, replaced, now } = facts;
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isPodReady(pod));
  const { minReadySeconds = 0, replicas: wanted = 1 } = spec;
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length;
  const staying = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  const countOf = (revision: string): number =>
    staying.filter((pod) => revisionNameOf(pod) === revision).length;
  const updated = countOf(updateRevision);
  const isComplete =
    spec.updateStrategy.type === "RollingUpdate" &&
    [updated, ready.length, pods.length].every((count) => count === wanted);
  const currentRevision = isComplete ? updateRevision : facts.currentRevision;
  const current = isComplete ? updated : Math.max(0, countOf(facts.currentRevision) - replaced);
  return {
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    replicas: pods.length,
    ...(ready.length > 0 && { readyReplicas: ready.length }),
    ...(current > 0 && { currentReplicas: current }),
    ...(updated > 0 && { updatedReplicas: updated }),
    currentRevision,
    updateRevision,
    collisionCount,
    availableReplicas: available,
  };
}

/** Whether a status says something else than the one that is stored; the collision count alone is no reason to write. */
export function isStatusStale(wanted: StatefulSetStatus, stored: StatefulSetStatus): boolean {
  if ((wanted.observedGeneration ?? 0) > (stored.observedGeneration ?? 0)) return true;
  if (wanted.currentRevision !== stored.currentRevision) return true;
  if (wanted.updateRevision !== stored.updateRevision) return true;
  return counts.some((count) => (wanted[count] ?? 0) !== (stored[count] ?? 0));
}

const counts = [
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "availableReplicas",
] as const;
