import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { DeploymentSpec } from "../../api/apps/v1/deployment-spec.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { activeOf, olderFirst, sizeOf, sum, totalSize } from "./replica-set-lists.ts";
import { maxSurge, maxUnavailable } from "./surge.ts";

/** That a replica set is to have another size. */
export interface ScaleStep {
  readonly replicaSet: ReplicaSet;
  readonly size: number;
}

/** How large the replica set of the template may be, when all together are of size `total`. */
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

/** How large the replica set of the template is to be in the next step of a rolling update. */
export function nextSize(
  { spec }: Deployment,
  current: ReplicaSet,
  all: readonly ReplicaSet[],
): number {
  if (sizeOf(current) >= spec.replicas) return spec.replicas;
  return newSize(spec, { total: totalSize(all), current: sizeOf(current) });
}

/**
 * How old replica sets get smaller in the next step of a rolling update, the oldest first. Pods that are
 * not available go before others; of those, as many as leave enough that are. One may have two steps.
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

/** Takes pods away that are not available: at most so many. */
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
