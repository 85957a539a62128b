import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import type {
  PoolStatus,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from "../../api/resource/v1alpha3/resource-pool-status-request-spec.ts";

export interface PoolInventory {
  readonly slices: readonly ResourceSlice[];
  readonly claims: readonly ResourceClaim[];
  /** The time of the condition. */
  readonly now: string;
}

/** Counts the devices of the pools that a request asks about, in all slices of the newest generation of each. */
export function poolStatus(
  { driver, poolName, limit = 100 }: ResourcePoolStatusRequestSpec,
  { slices, claims, now }: PoolInventory,
): ResourcePoolStatusRequestStatus {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const { name } = slice.spec.pool;
    if (slice.spec.driver !== driver || (poolName && name !== poolName)) continue;
    byPool.set(name, [...(byPool.get(name) ?? []), slice]);
  }
  const allocated = allocatedDevices(claims, driver);
  const all = [...byPool]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, found]) => statusOf(name, found, allocated.get(name) ?? 0));
  const pools = all.slice(0, limit);
  const incomplete = pools.filter(isIncomplete).length;
  const message = `Calculated status for ${pools.length} pools`;
  return {
    poolCount: all.length,
    ...(pools.length > 0 && { pools }),
    conditions: [
      {
        type: "Complete",
        status: "True",
        lastTransitionTime: now,
        reason: "CalculationComplete",
        message: incomplete > 0 ? `${message} (${incomplete} incomplete)` : message,
      },
    ],
  };
}

/** Whether slices of a pool are missing: its driver may still be publishing them. */
export const isIncomplete = ({ validationError }: PoolStatus): boolean =>
  validationError !== undefined;

function statusOf(name: string, slices: readonly ResourceSlice[], allocated: number): PoolStatus {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  const current = slices.filter(({ spec }) => spec.pool.generation === generation);
  const [first] = current as [ResourceSlice];
  const { driver, nodeName, pool } = first.spec;
  const isOfOneNode = current.every(({ spec }) => (spec.nodeName ?? "") === (nodeName ?? ""));
  const known = {
    driver,
    poolName: name,
    generation,
    ...(nodeName && isOfOneNode && { nodeName }),
  };
  const count = current.length;
  const { resourceSliceCount: wanted } = pool;
  if (count < wanted)
    return {
      ...known,
      validationError: cut(
        `pool ${driver}/${name} is incomplete: observed ${count}/${wanted} slices at generation ${generation}`,
      ),
    };
  const total = current.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0);
  return {
    ...known,
    resourceSliceCount: count,
    totalDevices: total,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, total - allocated),
    unavailableDevices: 0,
  };
}

function allocatedDevices(
  claims: readonly ResourceClaim[],
  driver: string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of claims)
    for (const result of status.allocation?.devices?.results ?? [])
      if (result.driver === driver) counts.set(result.pool, (counts.get(result.pool) ?? 0) + 1);
  return counts;
}

const longestError = 256;
/** Names of drivers and pools are ASCII: a character is a byte. */
const cut = (message: string): string => message.slice(0, longestError);
