import { compareMasks, maskOf, maskSize, type NumaMask, nodesOf } from "./numa-mask.ts";
import { anyNode, type ResourceHints, type TopologyHint } from "./topology-hint.ts";
import type { TopologyPolicy } from "./topology-policy.ts";

/** The NUMA nodes of a machine. */
export interface NumaNodes {
  readonly nodes: readonly number[];
  /** The distance from one node to another, as the firmware tells it. */
  distance(from: number, to: number): number;
}

/** The best hint that serves all resources, and whether the policy accepts it. */
export interface MergedHint {
  readonly hint: TopologyHint;
  readonly isAdmitted: boolean;
}

/** Merges the hints of all providers. */
export function mergeHints(
  policy: TopologyPolicy,
  providers: readonly ResourceHints[],
  machine: NumaNodes,
): MergedHint {
  if (policy.name === "none")
    return { hint: { affinity: undefined, isPreferred: false }, isAdmitted: true };
  const isSingle = policy.name === "single-numa-node";
  const hints = providers.flatMap(listsOf).map((list) => (isSingle ? list.filter(isOne) : list));
  const every = maskOf(machine.nodes);
  const byFit = policy.preferClosest && !isSingle ? closest(machine) : compareMasks;
  const found = merged(hints, every).sort(better(largestNeed(hints), byFit))[0];
  let hint: TopologyHint = found ?? { affinity: every, isPreferred: false };
  if (isSingle && hint.affinity === every) hint = { ...hint, affinity: undefined };
  return { hint, isAdmitted: policy.name === "best-effort" || hint.isPreferred };
}

/** The hints of a provider, one list for each resource. */
function listsOf(hints: ResourceHints): readonly (readonly TopologyHint[])[] {
  if (hints.size === 0) return [[anyNode]];
  return Array.from(hints.values(), (list) => {
    if (list === undefined) return [anyNode];
    return list.length === 0 ? [nowhere] : list;
  });
}

const nowhere: TopologyHint = { affinity: undefined, isPreferred: false };

const isOne = ({ affinity, isPreferred }: TopologyHint): boolean =>
  isPreferred && (affinity === undefined || maskSize(affinity) === 1);

interface Merged {
  readonly affinity: NumaMask;
  readonly isPreferred: boolean;
}

/**
 * The nodes that remain for each way to take one hint of every list. It is preferred if all its hints are, for the
 * same nodes. Equal results of the first lists are joined before the next list is looked at, so that their number
 * does not multiply: hints {0} and {0,1} for CPUs and {1} and {0,1} for memory leave {}, {0}, {1} and {0,1}.
 */
function merged(lists: readonly (readonly TopologyHint[])[], every: NumaMask): Merged[] {
  // Before the first affinity, all nodes remain, and they are not yet somebody's preference.
  let all = new Map<string, Merged & { readonly isAny: boolean }>([
    ["", { affinity: every, isPreferred: true, isAny: true }],
  ]);
  for (const list of lists) {
    const next: typeof all = new Map();
    for (const before of all.values())
      for (const { affinity: mask, isPreferred } of list) {
        const isSame = mask === undefined || before.isAny || mask === before.affinity;
        const one = {
          affinity: mask === undefined ? before.affinity : before.affinity & mask,
          isPreferred: before.isPreferred && isPreferred && isSame,
          isAny: before.isAny && mask === undefined,
        };
        next.set(`${one.affinity} ${one.isPreferred} ${one.isAny}`, one);
      }
    all = next;
  }
  return [...all.values()]
    .filter(({ affinity }) => affinity !== 0n)
    .map(({ affinity, isPreferred }) => ({ affinity, isPreferred }));
}

/** How many nodes the most demanding resource needs at least. */
function largestNeed(lists: readonly (readonly TopologyHint[])[]): number {
  const smallest = lists.map((list) => {
    const sizes = list.flatMap(({ affinity }) =>
      affinity === undefined ? [] : maskSize(affinity),
    );
    return sizes.length === 0 ? 0 : Math.min(...sizes);
  });
  return Math.max(0, ...smallest);
}

/**
 * Orders hints, the best first: preferred ones; then, of others, those with as many nodes as are needed, then fewer
 * nodes, but as many as possible, then more.
 */
const better =
  (need: number, byFit: (a: NumaMask, b: NumaMask) => number) =>
  (a: Merged, b: Merged): number => {
    if (a.isPreferred !== b.isPreferred) return a.isPreferred ? -1 : 1;
    if (a.isPreferred) return byFit(a.affinity, b.affinity);
    const [sizeA, sizeB] = [maskSize(a.affinity), maskSize(b.affinity)];
    const [isTooLargeA, isTooLargeB] = [sizeA > need, sizeB > need];
    if (isTooLargeA !== isTooLargeB) return isTooLargeA ? 1 : -1;
    if (!isTooLargeA && sizeA !== sizeB) return sizeB - sizeA;
    return byFit(a.affinity, b.affinity);
  };

/** Orders sets of nodes: smaller ones first, then those whose nodes are closer to each other. */
const closest =
  (machine: NumaNodes) =>
  (a: NumaMask, b: NumaMask): number => {
    if (maskSize(a) !== maskSize(b)) return compareMasks(a, b);
    return meanDistance(a, machine) - meanDistance(b, machine) || compareMasks(a, b);
  };

function meanDistance(mask: NumaMask, { distance }: NumaNodes): number {
  const nodes = nodesOf(mask);
  const all = nodes.flatMap((from) => nodes.map((to) => distance(from, to)));
  return all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length);
}
