import { allMasks, maskSize, nodesOf } from "../topology/numa-mask.ts";
import type { TopologyHint } from "../topology/topology-hint.ts";
import { type CpuSet, commonCpus } from "./cpu-set.ts";
import { cpusIn, groupsOf, placesOf } from "./cpu-topology.ts";
import { nodesOfCpus, type StaticCpuPolicy } from "./static-cpu-policy.ts";

export interface CpuHintRequest {
  readonly available: CpuSet;
  /** The CPUs that must be among them, because init containers have used them. */
  readonly reusable: CpuSet;
  readonly count: number;
}

/** The sets of NUMA nodes that have enough CPUs. Sets as small as the machine allows are preferred. */
export function cpuHints(
  policy: StaticCpuPolicy,
  request: CpuHintRequest,
): readonly TopologyHint[] {
  const { available, reusable, count } = request;
  const { places } = policy.topology;
  const nodes = groupsOf(places, "node");
  const needed = nodesOfCpus(policy.topology, reusable);
  const found: TopologyHint[] = [];
  let smallest = nodes.length;
  for (const mask of allMasks(nodes)) {
    const near = cpusIn(places, "node", nodesOf(mask));
    if (near.size >= count) smallest = Math.min(smallest, maskSize(mask));
    const isEnough = reusable.size + commonCpus(available, near).size >= count;
    if ((needed & ~mask) === 0n && isEnough) found.push({ affinity: mask, isPreferred: false });
  }
  return found.map(({ affinity = 0n }) => ({
    affinity,
    isPreferred:
      maskSize(affinity) === smallest ||
      (policy.options.has("align-by-socket") && hasFewestSockets(policy, affinity, smallest)),
  }));
}

/** Whether nodes are in no more sockets than the smallest set of nodes must be. */
function hasFewestSockets(
  { topology: { places, counts } }: StaticCpuPolicy,
  affinity: bigint,
  smallest: number,
): boolean {
  const nodesPerSocket = Math.floor(counts.node / counts.socket);
  if (nodesPerSocket === 0) return false;
  const cpus = cpusIn(places, "node", nodesOf(affinity));
  const sockets = groupsOf(placesOf(places, cpus), "socket").length;
  return sockets === Math.ceil(smallest / nodesPerSocket);
}
