import type { Node } from "../../../api/core/v1/node/node.ts";
import { nodeSelectorMatch } from "../../../api/core/v1/scheduling/node-affinity-match.ts";
import type { CounterSet } from "../../../api/resource/v1/device-capacity.ts";
import type { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import type { Device } from "../../../api/resource/v1/resource-slice-spec.ts";

/** The devices of a pool that a node can reach. */
export interface DevicePool {
  readonly driver: string;
  readonly name: string;
  /** Not all slices of the current generation are there yet: nothing can be allocated. */
  readonly isIncomplete: boolean;
  /** Names or counters contradict each other: nothing can be allocated. */
  readonly isInvalid: boolean;
  readonly devices: readonly PoolDevice[];
  /** Devices that only other nodes reach, which may share counters with the others. */
  readonly elsewhere: readonly Device[];
  readonly counterSets: ReadonlyMap<string, CounterSet>;
}

export interface PoolDevice {
  readonly device: Device;
  readonly slice: ResourceSlice;
}

/** A device that a request may get. */
export interface Candidate extends PoolDevice {
  readonly id: string;
  readonly pool: DevicePool;
}

/** `DRIVER/POOL/DEVICE`. */
export const deviceId = (driver: string, pool: string, device: string): string =>
  `${driver}/${pool}/${device}`;

/** Slices by the nodes that they can matter to. */
export interface SliceIndex {
  readonly all: readonly ResourceSlice[];
  readonly ofNode: ReadonlyMap<string, readonly ResourceSlice[]>;
  /** Slices that are not for one node only, and those with counters, which every node needs. */
  readonly shared: readonly ResourceSlice[];
}

export function indexSlices(all: readonly ResourceSlice[]): SliceIndex {
  const ofNode = new Map<string, ResourceSlice[]>();
  const shared: ResourceSlice[] = [];
  for (const slice of all) {
    const { nodeName } = slice.spec;
    if (!nodeName || hasCounters(slice)) shared.push(slice);
    else ofNode.set(nodeName, [...(ofNode.get(nodeName) ?? []), slice]);
  }
  return { all, ofNode, shared };
}

const hasCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters ?? []).length > 0;

/**
 * Returns the pools with devices for a node in the order in which they are tried: by name, those whose
 * devices are bound under conditions last. Slices of former generations do not count.
 */
export function poolsOfNode(index: SliceIndex, node: Node): readonly DevicePool[] {
  const own = index.ofNode.get(node.metadata.name ?? "") ?? [];
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of [...own, ...index.shared]) if (matters(slice, node)) addSlice(byPool, slice);
  const pools = [...byPool.values()].flatMap((slices) => poolOf(slices, index.all) ?? []);
  return pools.sort((a, b) => Number(isConditional(a)) - Number(isConditional(b)) || byName(a, b));
}

const byName = (a: DevicePool, b: DevicePool): number =>
  compare(a.driver, b.driver) || compare(a.name, b.name);

const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);

const isConditional = ({ devices }: DevicePool): boolean =>
  devices.some(({ device }) => device.bindingConditions !== undefined);

type Reach = Pick<Device, "nodeName" | "nodeSelector" | "allNodes">;

/** Whether a slice, or a device with a reach of its own, is for a node. */
export function reachesNode({ nodeName, nodeSelector, allNodes }: Reach, node: Node): boolean {
  if (nodeName) return nodeName === node.metadata.name;
  return allNodes === true || (nodeSelector !== undefined && nodeSelectorMatch(nodeSelector)(node));
}

function matters(slice: ResourceSlice, node: Node): boolean {
  if (hasCounters(slice)) return true;
  const { perDeviceNodeSelection, devices = [] } = slice.spec;
  return perDeviceNodeSelection
    ? devices.some((device) => reachesNode(device, node))
    : reachesNode(slice.spec, node);
}

/** Adds a slice to its pool; one of a later generation replaces all others. */
function addSlice(byPool: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const { driver, pool } = slice.spec;
  const key = `${driver}/${pool.name}`;
  const known = byPool.get(key);
  const newer = Number(pool.generation) - Number(known?.[0]?.spec.pool.generation ?? 0);
  if (!known || newer > 0) byPool.set(key, [slice]);
  else if (newer === 0) known.push(slice);
}

/** Returns undefined for a pool whose later generation has nothing for the node. */
function poolOf(
  slices: readonly ResourceSlice[],
  all: readonly ResourceSlice[],
): DevicePool | undefined {
  const [first] = slices;
  if (!first) return undefined;
  const { driver, pool } = first.spec;
  const parts = { driver, name: pool.name, isIncomplete: false, isInvalid: false };
  const empty = { devices: [], elsewhere: [], counterSets: new Map() };
  let others: readonly ResourceSlice[] = [];
  if (slices.length !== Number(pool.resourceSliceCount)) {
    const wanted = Number(pool.generation);
    const same = all.filter(({ spec }) => spec.driver === driver && spec.pool.name === pool.name);
    if (same.some(({ spec }) => Number(spec.pool.generation) > wanted)) return undefined;
    const current = same.filter(({ spec }) => Number(spec.pool.generation) === wanted);
    if (current.length !== Number(pool.resourceSliceCount))
      return { ...parts, ...empty, isIncomplete: true };
    const known = new Set(slices.map(({ metadata }) => metadata.name));
    others = current.filter(({ metadata }) => !known.has(metadata.name));
  }
  const sorted = slices.toSorted((a, b) => compare(a.metadata.name, b.metadata.name));
  const devices = sorted
    .filter((slice) => !hasCounters(slice))
    .flatMap((slice) => (slice.spec.devices ?? []).map((device) => ({ device, slice })));
  const elsewhere = others.flatMap(({ spec }) => spec.devices ?? []);
  const sets = sorted.flatMap(({ spec }) => spec.sharedCounters ?? []);
  const counterSets = new Map(sets.map((set) => [set.name, set]));
  const isInvalid =
    new Set(devices.map(({ device }) => device.name)).size < devices.length ||
    counterSets.size < sets.length ||
    [...devices.map(({ device }) => device), ...elsewhere].some(
      (device) => !hasItsCounters(device, counterSets),
    );
  return isInvalid
    ? { ...parts, ...empty, isInvalid }
    : { ...parts, devices, elsewhere, counterSets };
}

/** Whether all counters that a device draws from are there. */
const hasItsCounters = (
  { consumesCounters = [] }: Device,
  sets: ReadonlyMap<string, CounterSet>,
): boolean =>
  consumesCounters.every(({ counterSet, counters }) => {
    const known = sets.get(counterSet)?.counters;
    return known !== undefined && Object.keys(counters ?? {}).every((name) => name in known);
  });
