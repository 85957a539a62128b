import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import {
  annotatedDesired,
  annotatedMax,
  desiredReplicasAnnotation,
} from "./deployment-annotations.ts";
import { parseInteger } from "./parse-integer.ts";
import type { ScaleStep } from "./plan-rolling-update.ts";
import {
  activeOf,
  allOf,
  type DeploymentReplicaSets,
  olderFirst,
  sizeOf,
  totalSize,
} from "./replica-set-lists.ts";
import { isRollingUpdate, maxSurge } from "./surge.ts";

/** Whether a deployment has another size than the annotations of its replica sets say. */
export const isScaled = ({ spec }: Deployment, replicaSets: DeploymentReplicaSets): boolean =>
  activeOf(allOf(replicaSets)).some(
    (one) => (annotatedDesired(one) ?? spec.replicas) !== spec.replicas,
  );

/** A scale step that writes the annotations with the deployment's size, even if the size stays the same. */
export interface SizeStep extends ScaleStep {
  readonly annotates: boolean;
}

/**
 * How the replica sets of a deployment are scaled with it. During a rolling update each gets its share,
 * so that scaling does not advance the update.
 */
export function planScale(
  deployment: Deployment,
  replicaSets: DeploymentReplicaSets,
): readonly SizeStep[] {
  const { spec } = deployment;
  const { current, old } = replicaSets;
  const active = activeOf(allOf(replicaSets));
  if (active.length <= 1) {
    const only = active[0] ?? current ?? old.toSorted(olderFirst).at(-1);
    const isRight = !only || sizeOf(only) === spec.replicas;
    return isRight ? [] : [{ replicaSet: only, size: spec.replicas, annotates: false }];
  }
  if (current && isSaturated(deployment, current))
    return activeOf(old).map((replicaSet) => ({ replicaSet, size: 0, annotates: false }));
  // A recreation replaces all pods anyway: nothing is scaled.
  if (!isRollingUpdate(spec)) return [];
  return planShares(deployment, active).map((step) => ({ ...step, annotates: true }));
}

/** Gives each replica set its share of the pods to add or remove; the largest gets the remainder. */
function planShares(deployment: Deployment, active: readonly ReplicaSet[]): readonly ScaleStep[] {
  const { spec } = deployment;
  const allowed = spec.replicas > 0 ? spec.replicas + maxSurge(spec) : 0;
  const toAdd = allowed - totalSize(active);
  const direction = toAdd > 0 ? -1 : 1;
  const sorted = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || direction * olderFirst(a, b));
  let left = toAdd;
  const steps = sorted.map((replicaSet) => {
    const share = left === 0 ? 0 : shareOf(deployment, replicaSet);
    const added = toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
    left -= added;
    return { replicaSet, size: sizeOf(replicaSet) + added };
  });
  const rest = left;
  return steps.map((step, i) =>
    i === 0 ? { ...step, size: Math.max(0, step.size + rest) } : step,
  );
}

/** By how much a replica set is scaled to keep its share of the deployment. */
function shareOf({ spec, status }: Deployment, replicaSet: ReplicaSet): number {
  const size = sizeOf(replicaSet);
  if (spec.replicas === 0) return -size;
  const before = annotatedMax(replicaSet) || (status.replicas ?? 0);
  if (before === 0) return 0;
  const exact = (size * (spec.replicas + maxSurge(spec))) / before;
  return Math.floor(exact + 0.5) - size;
}

/** Whether the new replica set has all pods of the deployment, and they are available. */
function isSaturated({ spec }: Deployment, current: ReplicaSet): boolean {
  const desired = parseInteger(current.metadata.annotations?.[desiredReplicasAnnotation] ?? "");
  const { availableReplicas = 0 } = current.status;
  return [sizeOf(current), desired, availableReplicas].every((count) => count === spec.replicas);
}
