/** Numbers from the first to the last, both included. */
export interface Range<N extends number | bigint> {
  readonly first: N;
  readonly last: N;
}

/** The same numbers in ascending ranges that neither overlap nor touch. */
export function mergedRanges<N extends number | bigint>(
  ranges: readonly Range<N>[],
): readonly Range<N>[] {
  const merged: { first: N; last: N }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => compare(a.first, b.first))) {
    const before = merged.at(-1);
    if (before && isNextTo(before.last, first)) {
      if (last > before.last) before.last = last;
    } else merged.push({ first, last });
  }
  return merged;
}

/** The numbers of a range that are in none of the others. */
export function withoutRanges<N extends bigint>(
  { first, last }: Range<N>,
  others: readonly Range<N>[],
): readonly Range<bigint>[] {
  const rest: Range<bigint>[] = [];
  let next: bigint = first;
  for (const other of mergedRanges(others)) {
    if (other.last < next || other.first > last) continue;
    if (other.first > next) rest.push({ first: next, last: other.first - 1n });
    next = other.last + 1n;
  }
  if (next <= last) rest.push({ first: next, last });
  return rest;
}

const compare = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Whether nothing lies between a range that ends and one that begins. */
const isNextTo = (last: number | bigint, first: number | bigint): boolean =>
  BigInt(first) <= BigInt(last) + 1n;
