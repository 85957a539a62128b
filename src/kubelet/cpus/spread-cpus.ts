import type { CpuSet } from "./cpu-set.ts";
import { CpuTaker } from "./cpu-taker.ts";
import { cpusIn } from "./cpu-topology.ts";
import { type CpuRequest, checkAmount, takeCpus } from "./take-cpus.ts";

export interface SpreadRequest extends CpuRequest {
  /** CPUs are taken in groups of so many: all threads of a core, or single ones. */
  readonly groupSize: number;
}

/**
 * Chooses CPUs from as few nodes as possible, but if that is more than one, the same number from each. Nodes that
 * give more, because the number cannot be divided, are those that leave the machine the most balanced.
 */
export function spreadCpus(request: SpreadRequest): CpuSet {
  const { topology, available, count, groupSize } = request;
  const packed = { ...request, alignsCaches: false };
  if (count % groupSize !== 0) return takeCpus(packed);
  const taker = new CpuTaker(topology, available, count);
  if (taker.isDone) return taker.taken;
  checkAmount(taker, request);
  const nodes = taker.sorted("node");
  const free = new Map(nodes.map((id) => [id, cpusIn(taker.free, "node", [id]).size]));
  const steps = chooseSteps(request, free);
  if (!steps) return takeCpus(packed);
  for (const [node, amount] of steps)
    taker.take(
      takeCpus({ ...packed, available: cpusIn(taker.free, "node", [node]), count: amount }),
    );
  return taker.taken;
}

/** How many CPUs to take from which node, one step after the other. */
type Steps = readonly (readonly [node: number, count: number])[];

/** Free CPUs by node. */
type FreeByNode = ReadonlyMap<number, number>;

/** Chooses the nodes, with at most one group more from some of them where that suffices; undefined if nothing is even. */
function chooseSteps(request: SpreadRequest, free: FreeByNode): Steps | undefined {
  const [fewest, most] = nodeRange(request, free.size);
  for (let size = fewest; size <= most; size++) {
    let best: Plan | undefined;
    for (const nodes of combinations([...free.keys()], size)) {
      const plan = planFor(nodes, request, free);
      if (plan && (!best || plan.imbalance < best.imbalance)) best = plan;
      if (best?.imbalance === 0) break;
    }
    if (best) return best.steps;
  }
  return undefined;
}

/** The least and the greatest number of nodes to try. */
function nodeRange(
  { topology, count, groupSize }: SpreadRequest,
  nodesWithFree: number,
): readonly [fewest: number, most: number] {
  const groups = Math.ceil(topology.places.size / groupSize);
  const groupsPerNode = Math.ceil(groups / topology.counts.node);
  const needed = Math.ceil(count / groupSize);
  return [Math.ceil(needed / groupsPerNode), Math.min(needed, nodesWithFree)];
}

interface Plan {
  readonly steps: Steps;
  /** The deviation of what all nodes have left. */
  readonly imbalance: number;
}

function planFor(
  nodes: readonly number[],
  { count, groupSize }: SpreadRequest,
  free: FreeByNode,
): Plan | undefined {
  const freeOf = (node: number): number => free.get(node) ?? 0;
  const groups = nodes.reduce((sum, node) => sum + Math.floor(freeOf(node) / groupSize), 0);
  if (groups * groupSize < count) return undefined;
  const each = Math.floor(count / nodes.length / groupSize) * groupSize;
  if (nodes.some((node) => freeOf(node) < each)) return undefined;
  const even = nodes.map((node) => [node, each] as const);
  const rest = count - each * nodes.length;
  if (rest === 0) return planOf(even, free);
  const withMore = nodes.filter((node) => freeOf(node) - each >= groupSize);
  let best: Plan | undefined;
  for (let size = withMore.length; size >= 1; size--)
    for (const some of combinations(withMore, size)) {
      const more = restSteps(
        new Map(some.map((node) => [node, freeOf(node) - each])),
        rest,
        groupSize,
      );
      const plan = more && planOf([...even, ...more], free);
      if (plan && (!best || plan.imbalance < best.imbalance)) best = plan;
    }
  return best;
}

/** Takes the rest in turn from some nodes, with what they have left; undefined if that is less. */
function restSteps(free: Map<number, number>, rest: number, groupSize: number): Steps | undefined {
  const steps: (readonly [number, number])[] = [];
  for (let left = rest; left > 0; ) {
    const before = left;
    for (const [node, amount] of free) {
      if (left === 0 || amount < groupSize) continue;
      steps.push([node, groupSize]);
      free.set(node, amount - groupSize);
      left -= groupSize;
    }
    if (left === before) return undefined;
  }
  return steps;
}

function planOf(steps: Steps, free: FreeByNode): Plan {
  const left = new Map(free);
  for (const [node, count] of steps) left.set(node, (left.get(node) ?? 0) - count);
  return { steps, imbalance: deviation([...left.values()]) };
}

/** The standard deviation, rounded so that equal ones compare as equal. */
function deviation(values: readonly number[]): number {
  const mean = rounded(values.reduce((sum, value) => sum + value, 0) / values.length);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return rounded(Math.sqrt(squares / values.length));
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** All subsets of a size, in the order of the list. */
function* combinations(
  list: readonly number[],
  size: number,
  start = 0,
): Generator<readonly number[]> {
  if (size === 0) yield [];
  else
    for (let i = start; i <= list.length - size; i++)
      for (const rest of combinations(list, size - 1, i + 1)) yield [list[i] as number, ...rest];
}
