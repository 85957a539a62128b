import { parseDuration } from "../../../schema/values/duration.ts";
import { quote } from "../../../schema/values/quote.ts";
import { timeZoneFault } from "./time-zone.ts";

/** When something recurs: at the times that fit every field, or ever so many nanoseconds. */
export type CronSchedule = CronFields | { readonly every: bigint; readonly timeZone?: string };

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  /** From 0, Sunday, to 6. */
  readonly dayOfWeek: CronField;
  /** Written before the fields, as `TZ=…`. */
  readonly timeZone?: string;
}

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** Whether it says nothing: of days of the month and of the week, one that does decides alone. */
  readonly isStar: boolean;
}

/** Reads a schedule such as `0 8 * * 1-5` or `@daily`; throws a SyntaxError with upstream's words. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new SyntaxError("empty spec string");
  if (!/^(?:CRON_)?TZ=/.test(text)) return parseTimes(text);
  const end = text.indexOf(" ");
  if (end < 0)
    throw new SyntaxError(
      "invalid schedule format: runtime error: slice bounds out of range [:-1]",
    );
  const timeZone = text.slice(text.indexOf("=") + 1, end);
  const fault = timeZoneFault(timeZone);
  if (fault) throw new SyntaxError(`provided bad location ${timeZone}: ${fault}`);
  return { ...parseTimes(text.slice(end).trim()), timeZone };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  dayOfWeek: { min: 0, max: 6, names: days },
} as const satisfies Record<string, Bounds>;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function parseTimes(text: string): CronSchedule {
  if (text.startsWith("@")) return parseDescriptor(text);
  const fields = text.split(/\s+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (fields.length !== 5)
    throw new SyntaxError(
      `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`,
    );
  return {
    minute: parseField(minute, bounds.minute),
    hour: parseField(hour, bounds.hour),
    dayOfMonth: parseField(dayOfMonth, bounds.dayOfMonth),
    month: parseField(month, bounds.month),
    dayOfWeek: parseField(dayOfWeek, bounds.dayOfWeek),
  };
}

function parseDescriptor(text: string): CronSchedule {
  const times = descriptors[text];
  if (times !== undefined) return parseTimes(times);
  const prefix = "@every ";
  if (!text.startsWith(prefix)) throw new SyntaxError(`unrecognized descriptor: ${text}`);
  try {
    return { every: parseDuration(text.slice(prefix.length)) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : `${cause}`;
    throw new SyntaxError(`failed to parse duration ${text}: ${why}`, { cause });
  }
}

function parseField(text = "", within: Bounds): CronField {
  const ranges = text
    .split(",")
    .filter((range) => range !== "")
    .map((range) => parseRange(range, within));
  return {
    values: new Set(ranges.flatMap(({ values }) => values)),
    isStar: ranges.some(({ isStar }) => isStar),
  };
}

function parseRange(
  text: string,
  { min, max, names = [] }: Bounds,
): { readonly values: readonly number[]; readonly isStar: boolean } {
  const [range = "", stepText, ...slashes] = text.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const isAll = low === "*" || low === "?";
  let start = min;
  let end = max;
  if (!isAll) {
    start = parseNumber(low, names, min);
    if (hyphens.length > 0) throw new SyntaxError(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseNumber(high, names, min);
  }
  if (slashes.length > 0) throw new SyntaxError(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseInteger(stepText);
  if (stepText !== undefined && high === undefined) end = max;
  checkRange(text, { start, end, step, min, max });
  const values: number[] = [];
  for (let value = start; value <= end; value += step) values.push(value);
  return { values, isStar: isAll && step <= 1 };
}

interface Range extends Bounds {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

function checkRange(text: string, { start, end, step, min, max }: Range): void {
  if (start < min)
    throw new SyntaxError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new SyntaxError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end)
    throw new SyntaxError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new SyntaxError(`step of range should be a positive number: ${text}`);
}

function parseNumber(text: string, names: readonly string[], first: number): number {
  const place = names.indexOf(text.toLowerCase());
  return place < 0 ? parseInteger(text) : place + first;
}

function parseInteger(text: string): number {
  const failed = (why: string) =>
    new SyntaxError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${why}`,
    );
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) throw failed("value out of range");
  if (value < 0n) throw new SyntaxError(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
