import type { MachineTopology } from "../topology/machine-topology.ts";
import type { CpuSet } from "./cpu-set.ts";

/** What CPUs share with each other. */
export type CpuGroup = "core" | "uncoreCache" | "socket" | "node";

/** The core, the cache, the socket and the NUMA node of a CPU, by their numbers. */
export type CpuPlace = Readonly<Record<CpuGroup, number>>;

/** Where each CPU is. */
export type CpuPlaces = ReadonlyMap<number, CpuPlace>;

/** The CPUs of a machine. */
export interface CpuTopology {
  readonly places: CpuPlaces;
  /** How many of each group there are. */
  readonly counts: Readonly<Record<CpuGroup, number>>;
  /** How many CPUs each of a group has, rounded down if they differ. */
  sizeOf(group: CpuGroup): number;
}

/** Names the core of each CPU after its first thread: numbers of the kernel are unique within a socket only. */
export function cpuTopology({ nodes }: MachineTopology): CpuTopology {
  const places = new Map<number, CpuPlace>();
  for (const { id: node, cores } of nodes)
    for (const { socket, threads, uncoreCache = socket } of cores)
      for (const cpu of threads)
        places.set(cpu, { core: Math.min(...threads), uncoreCache, socket, node });
  const count = (group: CpuGroup): number => groupsOf(places, group).length;
  const counts = {
    core: count("core"),
    uncoreCache: count("uncoreCache"),
    socket: count("socket"),
    node: count("node"),
  };
  return { places, counts, sizeOf: (group) => Math.floor(places.size / (counts[group] || 1)) };
}

/** The CPUs of a machine without those that are not in a set. */
export const placesOf = (places: CpuPlaces, cpus: CpuSet): CpuPlaces =>
  new Map([...places].filter(([cpu]) => cpus.has(cpu)));

/** The CPUs in these cores, caches, sockets or nodes. */
export function cpusIn(places: CpuPlaces, group: CpuGroup, ids: Iterable<number>): CpuSet {
  const wanted = new Set(ids);
  return new Set([...places].flatMap(([cpu, place]) => (wanted.has(place[group]) ? [cpu] : [])));
}

/** The numbers of the cores, caches, sockets or nodes that have CPUs, ascending; of all, or within one of another group. */
export function groupsOf(
  places: CpuPlaces,
  group: CpuGroup,
  within?: { readonly group: CpuGroup; readonly id: number },
): readonly number[] {
  const ids = new Set<number>();
  for (const place of places.values())
    if (!within || place[within.group] === within.id) ids.add(place[group]);
  return [...ids].sort((a, b) => a - b);
}
