import { parseDuration } from "../values/duration.ts";

/**
 * Reads a duration of the format `duration`, in nanoseconds: as Go writes it, or numbers with units in words
 * (`3 days`) anywhere in a text. Throws a SyntaxError with upstream's words.
 */
export function parseLooseDuration(text: string): bigint {
  try {
    return parseDuration(text);
  } catch {
    return parseWords(text);
  }
}

const second = 1_000_000_000n;

/** Of each unit the last spelling may go on: `seconds` begins with `sec`. */
const units: readonly (readonly [nanos: bigint, names: readonly string[]])[] = [
  [1n, ["ns", "nano"]],
  [1000n, ["us", "µs", "micro"]],
  [1_000_000n, ["ms", "milli"]],
  [second, ["s", "sec"]],
  [60n * second, ["m", "min"]],
  [3600n * second, ["h", "hr", "hour"]],
  [24n * 3600n * second, ["d", "day"]],
  [7n * 24n * 3600n * second, ["w", "wk", "week"]],
];

function parseWords(text: string): bigint {
  let total: bigint | undefined;
  for (const [, digits = "", word = ""] of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const count = BigInt(digits);
    if (count >= 2n ** 63n)
      throw new SyntaxError(`strconv.Atoi: parsing "${digits}": value out of range`);
    const unit = word.toLowerCase();
    for (const [nanos, names] of units)
      if (names.includes(unit) || unit.startsWith(names.at(-1) ?? unit))
        total = (total ?? 0n) + count * nanos;
  }
  if (total === undefined) throw new SyntaxError(`unable to parse ${text} as duration`);
  // Go's sum wraps around.
  return BigInt.asIntN(64, total);
}
