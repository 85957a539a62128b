import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import { sameTemplate } from "./pod-template-hash.ts";

/** The replica sets of a deployment. */
export interface DeploymentReplicaSets {
  /** The one with its template; undefined if it does not exist yet. */
  readonly current: ReplicaSet | undefined;
  /** All others, the oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Separates the replica set with a deployment's template, the oldest if there are several, from the others. */
export function splitReplicaSets(
  { spec }: Deployment,
  replicaSets: readonly ReplicaSet[],
): DeploymentReplicaSets {
  const sorted = replicaSets.toSorted(olderFirst);
  const current = sorted.find((one) => sameTemplate(one.spec.template, spec.template));
  return { current, old: sorted.filter((one) => one !== current) };
}

/** All replica sets, the new one last. */
export const allOf = ({ current, old }: DeploymentReplicaSets): readonly ReplicaSet[] =>
  current ? [...old, current] : old;

export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas;

/** The replica sets that want pods. */
export const activeOf = (replicaSets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  replicaSets.filter((one) => sizeOf(one) > 0);

export const totalSize = (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, sizeOf);

export const sum = (
  replicaSets: readonly ReplicaSet[],
  count: (one: ReplicaSet) => number | undefined,
): number => replicaSets.reduce((total, one) => total + (count(one) ?? 0), 0);

/** Orders by age, then by name. */
export function olderFirst(a: ReplicaSet, b: ReplicaSet): number {
  const byAge =
    (timeOf(a.metadata.creationTimestamp) ?? 0) - (timeOf(b.metadata.creationTimestamp) ?? 0);
  if (byAge !== 0) return byAge;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
