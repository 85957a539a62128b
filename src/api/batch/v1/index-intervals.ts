import { quote } from "../../../schema/values/quote.ts";

/** The first and the last index of an interval. */
export type Interval = readonly [first: number, last: number];

/**
 * How many indexes a list such as `0,2-4` holds; throws a SyntaxError where it is not well formed,
 * not in order, or holds an index beyond the completions.
 */
export function countIndexes(text: string, completions: number): number {
  if (text === "") return 0;
  let total = 0;
  let before: number | undefined;
  for (const part of text.split(",")) {
    const [first, last] = parseInterval(part, completions);
    if (before !== undefined && before >= first) throw notIncreasing(before, first);
    total += last - first + 1;
    before = last;
  }
  return total;
}

/** The first index that is in both lists; parts that are not well formed are passed over. */
export function firstSharedIndex(a: string, b: string, completions: number): number | undefined {
  const left = intervalsOf(a, completions);
  const right = intervalsOf(b, completions);
  let [i, j] = [0, 0];
  for (;;) {
    const x = left[i];
    const y = right[j];
    if (!x || !y) return undefined;
    if (x[0] <= y[1] && y[0] <= x[1]) return Math.max(x[0], y[0]);
    if (x[0] <= y[0]) i++;
    else j++;
  }
}

function intervalsOf(text: string, completions: number): readonly Interval[] {
  if (text === "") return [];
  return text.split(",").flatMap((part) => {
    try {
      return [parseInterval(part, completions)];
    } catch {
      return [];
    }
  });
}

function parseInterval(text: string, completions: number): Interval {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0)
    throw new SyntaxError(
      `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  const first = parseIndex(low, completions);
  if (high === undefined) return [first, first];
  const last = parseIndex(high, completions);
  if (first >= last) throw notIncreasing(first, last);
  return [first, last];
}

function parseIndex(text: string, completions: number): number {
  const index = /^\+?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (index === undefined || index >= 1n << 63n)
    throw new SyntaxError(`cannot convert string to integer for index: ${quote(text)}`);
  if (index >= BigInt(completions)) throw new SyntaxError(`too large index: ${quote(text)}`);
  return Number(index);
}

const notIncreasing = (before: number, current: number) =>
  new SyntaxError(`non-increasing order, previous: ${before}, current: ${current}`);
