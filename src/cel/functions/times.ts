import { quote } from "../../schema/values/quote.ts";
import { type Calendar, calendarOf } from "../values/calendar.ts";
import { type CelDuration, CelError, type CelTimestamp, isError } from "../values/cel-value.ts";
import { type Implementations, one, two } from "./implementation.ts";
import { offsetOfZone } from "./time-zone.ts";

type Part = (calendar: Calendar, time: CelTimestamp) => number;

const parts: Readonly<Record<string, Part>> = {
  year: ({ year }) => year,
  month: ({ month }) => month - 1,
  day_of_year: ({ dayOfYear }) => dayOfYear,
  day_of_month: ({ day }) => day - 1,
  day_of_month_1_based: ({ day }) => day,
  day_of_week: ({ dayOfWeek }) => dayOfWeek,
  hours: ({ hour }) => hour,
  minutes: ({ minute }) => minute,
  seconds: ({ second }) => second,
  milliseconds: (_, { nanos }) => Math.floor(nanos / 1e6),
};

/** The functions on times and durations. */
export const timeFunctions: Implementations = {
  ...Object.fromEntries(
    Object.entries(parts).flatMap(([name, part]) => {
      const zoned = name === "seconds" ? "timestamp_to_seconds_tz" : `timestamp_to_${name}_with_tz`;
      return [
        [
          `timestamp_to_${name}`,
          one((time: CelTimestamp) => BigInt(part(calendarOf(time, 0), time))),
        ] as const,
        [
          zoned,
          two((time: CelTimestamp, zone: string) => {
            const east = readZone(zone, Number(time.seconds));
            return isError(east) ? east : BigInt(part(calendarOf(time, Number(east)), time));
          }),
        ] as const,
      ];
    }),
  ),
  duration_to_hours: one((duration: CelDuration) => inUnits(duration, 3_600_000_000_000n)),
  duration_to_minutes: one((duration: CelDuration) => inUnits(duration, 60_000_000_000n)),
  duration_to_seconds: one((duration: CelDuration) => inUnits(duration, 1_000_000_000n)),
  duration_to_milliseconds: one(({ nanos }: CelDuration) => nanos / 1_000_000n),
};

/** Whole units of a duration, as of the double that Go computes first. */
const inUnits = ({ nanos }: CelDuration, unit: bigint): bigint =>
  BigInt(Math.trunc(Number(nanos / unit) + Number(nanos % unit) / Number(unit)));

/** The seconds east of Greenwich of a zone by its name, or by its offset: `-08:00`. */
function readZone(zone: string, seconds: number): bigint | CelError {
  const colon = zone.indexOf(":");
  if (colon < 0) {
    const east = offsetOfZone(zone, seconds);
    if (east !== undefined) return BigInt(east);
    const isName = !/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(zone);
    return new CelError(isName ? `unknown time zone ${zone}` : "time: invalid location name");
  }
  const hours = readInteger(zone.slice(0, colon));
  if (isError(hours)) return hours;
  const minutes = readInteger(zone.slice(colon + 1));
  if (isError(minutes)) return minutes;
  return 60n * (hours * 60n + (zone.startsWith("-") ? -minutes : minutes));
}

function readInteger(text: string): bigint | CelError {
  if (!/^[+-]?\d+$/.test(text))
    return new CelError(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ""));
  return value === BigInt.asIntN(64, value)
    ? value
    : new CelError(`strconv.Atoi: parsing ${quote(text)}: value out of range`);
}
