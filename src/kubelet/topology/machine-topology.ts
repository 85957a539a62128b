import type { NumaNodes } from "./merge-hints.ts";

/** The processors and the memory of a machine, as far as their places matter. */
export interface MachineTopology {
  /** By number, ascending; at least one. */
  readonly nodes: readonly NumaNode[];
}

/** Processors and memory that are close to each other. */
export interface NumaNode {
  readonly id: number;
  /** The distance to each node, in the order of all nodes. */
  readonly distances: readonly number[];
  readonly memoryBytes: number;
  readonly hugePages: readonly { readonly pageBytes: number; readonly count: number }[];
  readonly cores: readonly CpuCore[];
}

/** A core with its threads, which are what the kernel calls CPUs. */
export interface CpuCore {
  readonly socket: number;
  readonly threads: readonly number[];
  /** The cache that only some cores of the node share; undefined if there is none. */
  readonly uncoreCache: number | undefined;
}

/** The NUMA nodes of a machine, and how far they are from each other. */
export function numaNodesOf({ nodes }: MachineTopology): NumaNodes {
  const indices = new Map(nodes.map(({ id }, index) => [id, index]));
  return {
    nodes: nodes.map(({ id }) => id),
    distance: (from, to) =>
      nodes[indices.get(from) ?? 0]?.distances[indices.get(to) ?? 0] ?? usualDistance,
  };
}

/** The distance of a node to itself. */
const usualDistance = 10;
