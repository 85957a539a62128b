/** A random duration in milliseconds: `2s±500ms` is between 1.5 s and 2.5 s. */
export interface DurationRange {
  readonly ms: number;
  readonly spread: number;
}

/** Reads `2s`, `1m30s`, `2s±500ms` or `2s+-500ms`; undefined if it is none of these. */
export function parseDurationRange(text: string): DurationRange | undefined {
  const [middle = "", spread = "0s", ...more] = text.split(/±|\+-/);
  const ms = parseMilliseconds(middle.trim());
  const around = parseMilliseconds(spread.trim());
  if (ms === undefined || around === undefined || more.length > 0) return undefined;
  return { ms, spread: around };
}

/** The duration for a random number in [0, 1). */
export const pickFrom = ({ ms, spread }: DurationRange, chance: number): number =>
  Math.max(0, Math.round(ms + (2 * chance - 1) * spread));

/** Parses a duration in Go's notation without a sign; undefined if it is invalid. */
export function parseMilliseconds(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    sum += Number(amount) * (units[unit] ?? 0);
  return sum;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
