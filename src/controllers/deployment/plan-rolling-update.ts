import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { DeploymentSpec } from "../../api/apps/v1/deployment-spec.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { activeOf, olderFirst, sizeOf, sum, totalSize } from "./replica-set-lists.ts";
import { maxSurge, maxUnavailable } from "./surge.ts";

/** A replica set and the size to scale it to. */
export interface ScaleStep {
  readonly replicaSet: ReplicaSet;
  readonly size: number;
}

/** The size that the new replica set may have while all replica sets together have the size `total`. */
export function newSize(
  spec: DeploymentSpec,
  { total, current }: { readonly total: number; readonly current: number },
): number {
  const { replicas, strategy } = spec;
  if (strategy.type === "Recreate") return replicas;
  if (strategy.type !== "RollingUpdate")
    throw new Error(`deployment type ${strategy.type} isn't supported`);
  const room = replicas + maxSurge(spec) - total;
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** The size of the new replica set in the next step of a rolling update. */
export function nextSize(
  { spec }: Deployment,
  current: ReplicaSet,
  all: readonly ReplicaSet[],
): number {
  if (sizeOf(current) >= spec.replicas) return spec.replicas;
  return newSize(spec, { total: totalSize(all), current: sizeOf(current) });
}

/**
 * How old replica sets are scaled down in the next step of a rolling update, the oldest first: pods that
 * are not available first, then available ones while enough of them are left. A replica set may have two
 * steps.
 */
export function planScaleDown(
  { spec }: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly ScaleStep[] {
  const active = activeOf(old).toSorted(olderFirst);
  const minAvailable = spec.replicas - maxUnavailable(spec);
  const missing = sizeOf(current) - available(current);
  const mayGo = totalSize(old) + sizeOf(current) - minAvailable - missing;
  if (active.length === 0 || mayGo <= 0) return [];
  const unhealthy = planCleanUp(active, mayGo);
  const left = active.map((replicaSet) => ({
    replicaSet,
    size: unhealthy.find((step) => step.replicaSet === replicaSet)?.size ?? sizeOf(replicaSet),
  }));
  let tooMany = sum([...active, current], available) - minAvailable;
  const healthy: ScaleStep[] = [];
  for (const { replicaSet, size } of left) {
    const count = Math.min(size, tooMany);
    if (count <= 0) continue;
    healthy.push({ replicaSet, size: size - count });
    tooMany -= count;
  }
  return [...unhealthy, ...healthy];
}

/** Scales unavailable pods down, `most` of them at most. */
function planCleanUp(active: readonly ReplicaSet[], most: number): readonly ScaleStep[] {
  const steps: ScaleStep[] = [];
  let left = most;
  for (const replicaSet of active) {
    const count = Math.min(left, sizeOf(replicaSet) - available(replicaSet));
    if (count <= 0) continue;
    steps.push({ replicaSet, size: sizeOf(replicaSet) - count });
    left -= count;
  }
  return steps;
}

const available = ({ status }: ReplicaSet): number => status.availableReplicas ?? 0;
