import type { CpuCore, MachineTopology } from "./machine-topology.ts";

interface CoreSite {
  readonly socket?: number;
  readonly node?: number;
  readonly cache?: number;
}

export interface MachineShape {
  readonly cores: number;
  /** Of each core: the threads of core 1 of 4 are 1 and 5. */
  readonly threads?: number;
  /** Where a core is; by default all are in one socket and node. */
  readonly site?: (core: number) => CoreSite;
  /** Of each node. */
  readonly memoryBytes?: number;
  readonly hugePages?: readonly { readonly pageBytes: number; readonly count: number }[];
}

/** A machine with so many cores, in the numbering of Linux. */
export function machineOf(shape: MachineShape): MachineTopology {
  const {
    cores,
    threads = 1,
    site = (): CoreSite => ({}),
    memoryBytes = 0,
    hugePages = [],
  } = shape;
  const nodes = new Map<number, CpuCore[]>();
  for (let core = 0; core < cores; core++) {
    const { socket = 0, node = 0, cache: uncoreCache } = site(core);
    const own = Array.from({ length: threads }, (_, thread) => core + thread * cores);
    const list = nodes.get(node) ?? [];
    nodes.set(node, [...list, { socket, threads: own, uncoreCache }]);
  }
  return {
    nodes: Array.from(nodes, ([id, list]) => ({
      ...{ id, cores: list, memoryBytes, hugePages },
      distances: [...nodes.keys()].map((other) => (other === id ? 10 : 20)),
    })),
  };
}

/** Machines of several shapes. */
export const machines = {
  /** 4 cores with 2 threads. */
  single: machineOf({ cores: 4, threads: 2 }),
  /** 8 CPUs without threads in 2 sockets, one after the other. */
  dualNoThreads: machineOf({
    cores: 8,
    site: (core) => ({ socket: Math.floor(core / 4), node: Math.floor(core / 4) }),
  }),
  /** 6 cores with 2 threads, in turn in one of 2 sockets. */
  dual: machineOf({
    cores: 6,
    threads: 2,
    site: (core) => ({ socket: core % 2, node: core % 2 }),
  }),
  /** The same with one cache for all. */
  dualOneCache: machineOf({
    cores: 6,
    threads: 2,
    site: (core) => ({ socket: core % 2, node: core % 2, cache: 0 }),
  }),
  /** 40 cores with 2 threads, in 2 sockets with 2 nodes each. */
  fourNodes: machineOf({
    cores: 40,
    threads: 2,
    site: (core) => ({ socket: Math.floor(core / 20), node: Math.floor(core / 10) }),
  }),
  /** 128 cores with 2 threads, in 2 sockets with 4 nodes each. */
  eightNodes: machineOf({
    cores: 128,
    threads: 2,
    site: (core) => ({ socket: Math.floor(core / 64), node: Math.floor(core / 16) }),
  }),
  /** 40 cores with 2 threads, in 4 sockets of which 2 are one node. */
  twoSocketsPerNode: machineOf({
    cores: 40,
    threads: 2,
    site: (core) => ({ socket: Math.floor(core / 10), node: Math.floor(core / 20) }),
  }),
  /** 16 cores, of which 4 share a cache. */
  caches: machineOf({ cores: 16, site: (core) => ({ cache: Math.floor(core / 4) }) }),
  /** 16 cores, of which 4 share a cache, in 2 sockets of one node. */
  cachesDual: machineOf({
    cores: 16,
    site: (core) => ({ socket: Math.floor(core / 8), cache: Math.floor(core / 4) }),
  }),
  /** 16 cores, of which 4 share a cache, in one socket with 2 nodes. */
  cachesTwoNodes: machineOf({
    cores: 16,
    site: (core) => ({ node: Math.floor(core / 8), cache: Math.floor(core / 4) }),
  }),
  /** 8 cores with 2 threads, of which 4 share a cache. */
  cachesThreads: machineOf({
    cores: 8,
    threads: 2,
    site: (core) => ({ cache: Math.floor(core / 4) }),
  }),
};
