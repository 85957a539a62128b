import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { olderFirst } from "./replica-set-lists.ts";
import { revisionOf } from "./revision.ts";

/** The old replica sets beyond the revision history limit of a deployment. */
export function beyondHistory(
  { spec }: Deployment,
  old: readonly ReplicaSet[],
): readonly ReplicaSet[] {
  const { revisionHistoryLimit: limit } = spec;
  if (limit === undefined || limit === 2 ** 31 - 1) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return alive
    .toSorted(byRevision)
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty);
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [revisionA, revisionB] = [revisionOf(a), revisionOf(b)];
  if (revisionA === undefined || revisionB === undefined || revisionA === revisionB)
    return olderFirst(a, b);
  return revisionA < revisionB ? -1 : 1;
}

/** Whether it has and wants no pods, and its status is of its current generation. */
const isEmpty = ({ metadata, spec, status }: ReplicaSet): boolean =>
  status.replicas === 0 &&
  spec.replicas === 0 &&
  (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
