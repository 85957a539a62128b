/** A set of NUMA nodes: the bit of each node is set. */
export type NumaMask = bigint;

/** The mask of these nodes. */
export const maskOf = (nodes: Iterable<number>): NumaMask => {
  let mask = 0n;
  for (const node of nodes) mask |= 1n << BigInt(node);
  return mask;
};

/** The nodes of a mask, ascending. */
export function nodesOf(mask: NumaMask): readonly number[] {
  const nodes: number[] = [];
  for (let node = 0, rest = mask; rest > 0n; node++, rest >>= 1n) if (rest & 1n) nodes.push(node);
  return nodes;
}

/** How many nodes a mask has. */
export function maskSize(mask: NumaMask): number {
  let size = 0;
  for (let rest = mask; rest > 0n; rest &= rest - 1n) size++;
  return size;
}

/** Whether a mask has a node. */
export const hasNode = (mask: NumaMask, node: number): boolean =>
  node >= 0 && ((mask >> BigInt(node)) & 1n) === 1n;

/** Orders masks: smaller ones first, then those with lower nodes. */
export function compareMasks(a: NumaMask, b: NumaMask): number {
  const bySize = maskSize(a) - maskSize(b);
  if (bySize !== 0) return bySize;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** All sets of these nodes but the empty one, the smallest first. */
export function allMasks(nodes: readonly number[]): readonly NumaMask[] {
  let masks: NumaMask[] = [0n];
  for (const node of nodes) masks = masks.concat(masks.map((mask) => mask | maskOf([node])));
  return masks.slice(1).sort(compareMasks);
}
