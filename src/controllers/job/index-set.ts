import type { Interval } from "../../api/batch/v1/index-intervals.ts";

/** Indexes as intervals in order that neither overlap nor touch: `0,2-4` is [0, 0] and [2, 4]. */
export type IndexSet = readonly Interval[];

/** Reads `0,2-4` as far as it is below `completions`; intervals that are no numbers are left out. */
export function parseIndexes(text: string | undefined, completions: number): IndexSet {
  const intervals: Interval[] = [];
  for (const part of text ? text.split(",") : []) {
    const [low = "", high = low] = part.split("-");
    if (!isNumber(low) || !isNumber(high)) continue;
    const first = Number(low);
    if (first >= completions) break;
    intervals.push([first, Math.min(Number(high), completions - 1)]);
  }
  return union(intervals, []);
}

const isNumber = (text: string): boolean => /^\+?\d+$/.test(text);

/** The indexes of both sets. */
export function union(a: IndexSet, b: IndexSet): IndexSet {
  const result: [number, number][] = [];
  for (const [first, last] of [...a, ...b].sort(([left], [right]) => left - right)) {
    const previous = result.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else result.push([first, last]);
  }
  return result;
}

/** A set with more indexes. */
export const withIndexes = (set: IndexSet, indexes: Iterable<number>): IndexSet =>
  union(
    set,
    [...indexes].map((index) => [index, index] as const),
  );

/** How many indexes a set has. */
export const sizeOf = (set: IndexSet): number =>
  set.reduce((size, [first, last]) => size + last - first + 1, 0);

/** Whether a set has an index. */
export function hasIndex(set: IndexSet, index: number): boolean {
  // The interval is in [low, high): the first whose last index is not below.
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[middle]?.[1] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return (set[low]?.[0] ?? Number.POSITIVE_INFINITY) <= index;
}

/** How many indexes two sets share. */
export function sharedSize(a: IndexSet, b: IndexSet): number {
  let [size, i, j] = [0, 0, 0];
  for (;;) {
    const x = a[i];
    const y = b[j];
    if (!x || !y) return size;
    size += Math.max(0, Math.min(x[1], y[1]) - Math.max(x[0], y[0]) + 1);
    if (x[1] <= y[1]) i++;
    if (y[1] <= x[1]) j++;
  }
}

/** The lowest indexes below `completions` that a set lacks, `count` at most. */
export function absentIndexes(set: IndexSet, count: number, completions: number): number[] {
  const result: number[] = [];
  let next = 0;
  for (const [first, last] of [...set, [completions, completions] as const]) {
    for (; next < Math.min(first, completions) && result.length < count; next++) result.push(next);
    next = Math.max(next, last + 1);
  }
  return result;
}

/** Writes a set as `0,2-4`; two neighbours are written one by one, as upstream does. */
export const formatIndexes = (set: IndexSet): string =>
  set
    .map(([first, last]) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
