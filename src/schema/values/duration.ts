import { quoteBytes } from "./quote.ts";

/** Reads a duration as Go writes it (`1h30m`), in nanoseconds; throws a SyntaxError with Go's words. */
export function parseDuration(text: string): bigint {
  const signed = text.startsWith("-") || text.startsWith("+");
  let rest = signed ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") throw invalid(text);
  let total = 0n;
  while (rest !== "") {
    const match = part.exec(rest);
    if (match === null) throw invalid(text);
    const [all, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") throw invalid(text);
    if (BigInt(whole) > limit) throw invalid(text);
    if (unit === "") throw new SyntaxError(`time: missing unit in duration ${quoteBytes(text)}`);
    const nanos = units.get(unit);
    if (nanos === undefined) {
      throw new SyntaxError(
        `time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}`,
      );
    }
    total += BigInt(whole) * BigInt(nanos) + fractionOf(fraction, nanos);
    if (total > limit) throw invalid(text);
    rest = rest.slice(all.length);
  }
  if (text.startsWith("-")) return -total;
  if (total === limit) throw invalid(text);
  return total;
}

/** Reads a duration as whole milliseconds; throws as `parseDuration` does. */
export const durationMillis = (text: string): number => Number(parseDuration(text) / 1_000_000n);

/** Writes nanoseconds as Go does: `1h0m0s`, `1.5s`, `100ms`. */
export function formatDuration(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? "-" : "";
  if (size === 0n) return "0s";
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  const minutes = size / 60_000_000_000n;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}

/** The string Kubernetes would answer with; throws as `parseDuration` does. */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

/** One more than the greatest duration; the least is its negative. */
const limit = 1n << 63n;

const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["\u00b5s", 1e3],
  ["\u03bcs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

/** Digits, a fraction, and a unit that reaches to the next digit or point. */
const part = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

function invalid(text: string): SyntaxError {
  return new SyntaxError(`time: invalid duration ${quoteBytes(text)}`);
}

/** Computed in floating point, and from the digits an int64 can hold, since Go does so. */
function fractionOf(fraction: string, nanos: number): bigint {
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const next = digits * 10n + BigInt(digit);
    if (digits > (limit - 1n) / 10n || next > limit) break;
    digits = next;
    scale *= 10;
  }
  return BigInt(Math.floor(Number(digits) * (nanos / scale)));
}

function decimal(value: bigint, places: number): string {
  const divisor = 10n ** BigInt(places);
  const fraction = `${value % divisor}`.padStart(places, "0").replace(/0+$/, "");
  return fraction === "" ? `${value / divisor}` : `${value / divisor}.${fraction}`;
}
