import { allMasks, compareMasks, maskSize, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import { hintsOf, type TopologyHint } from "../topology/topology-hint.ts";
import type { MemoryAmounts } from "./memory-requests.ts";
import { areSameNodes, type MachineMemory, sumOf } from "./memory-state.ts";

/** How much of a resource on exactly these nodes was used by init containers of the pod, and can be used again. */
export type ReusableMemory = (nodes: NumaMask, type: string) => number;

/**
 * The sets of NUMA nodes that have enough memory. Memory of a node is allocated either for itself or together with
 * that of one group of nodes. Sets as small as the machine allows are preferred.
 */
export function memoryHints(
  machine: MachineMemory,
  requests: MemoryAmounts,
  reusable: ReusableMemory,
): readonly TopologyHint[] {
  if (requests.size === 0) return [];
  const ids = [...machine.keys()].sort((a, b) => a - b);
  let smallest = ids.length;
  const found: { readonly mask: NumaMask; readonly size: number }[] = [];
  for (const mask of allMasks(ids)) {
    const nodes = nodesOf(mask);
    const has = (of: "free" | "allocatable", type: string): number =>
      sumOf(machine, nodes, { type, of });
    if ([...requests].some(([type, bytes]) => has("allocatable", type) < bytes)) continue;
    smallest = Math.min(smallest, nodes.length);
    if (nodes.length === 1 && isGrouped(machine, nodes)) continue;
    if (violatesGroups(machine, nodes)) continue;
    if ([...requests].every(([type, bytes]) => has("free", type) + reusable(mask, type) >= bytes))
      found.push({ mask, size: nodes.length });
  }
  return hintsOf(found, smallest);
}

const isGrouped = (machine: MachineMemory, nodes: readonly number[]): boolean =>
  nodes.some((id) => (machine.get(id)?.group.length ?? 1) > 1);

/** Whether several nodes cannot be used together, because one is used for itself or with others. */
export function violatesGroups(machine: MachineMemory, nodes: readonly number[]): boolean {
  if (nodes.length === 1) return false;
  return nodes.some((id) => {
    const { assignments = 0, group = [] } = machine.get(id) ?? {};
    return assignments > 0 && (group.length === 1 || !areSameNodes(group, nodes));
  });
}

/** Whether nodes have as much free memory as is requested. */
export const haveEnough = (
  machine: MachineMemory,
  nodes: readonly number[],
  requests: MemoryAmounts,
): boolean =>
  [...requests].every(([type, bytes]) => sumOf(machine, nodes, { type, of: "free" }) >= bytes);

/** The best of several hints: preferred, with the fewest nodes; undefined if there is none. */
export const bestHint = (hints: readonly TopologyHint[]): TopologyHint | undefined =>
  [...hints].sort(
    (a, b) =>
      Number(b.isPreferred) - Number(a.isPreferred) ||
      compareMasks(a.affinity ?? 0n, b.affinity ?? 0n),
  )[0];

/** Whether a hint has all nodes of a mask, and as many or more. */
export const includes = ({ affinity = 0n }: TopologyHint, mask: NumaMask): boolean =>
  (mask & ~affinity) === 0n && maskSize(affinity) > 0;
