import type { CelTimestamp } from "./cel-value.ts";

/** A point in time as a calendar and a clock show it. */
export interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** The first of January is 0. */
  readonly dayOfYear: number;
  /** Sunday is 0. */
  readonly dayOfWeek: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** What a calendar shows so many seconds east of Greenwich; without them, where the time was read. */
export function calendarOf(time: CelTimestamp, east = time.offset * 60): Calendar {
  const seconds = Number(time.seconds) + east;
  const date = new Date(seconds * 1000);
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayOfYear: Math.floor((date.getTime() - first.getTime()) / 86_400_000),
    dayOfWeek: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** Writes a time as RFC 3339 does, with as many digits of a second as it has. */
export function formatTimestamp(time: CelTimestamp): string {
  const { year, month, day, hour, minute, second } = calendarOf(time);
  const fraction = time.nanos === 0 ? "" : `.${pad(time.nanos, 9).replace(/0+$/, "")}`;
  const east = Math.abs(time.offset);
  const sign = time.offset < 0 ? "-" : "+";
  const zone =
    time.offset === 0 ? "Z" : `${sign}${pad(Math.floor(east / 60), 2)}:${pad(east % 60, 2)}`;
  const clock = `${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction}`;
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${clock}${zone}`;
}

/** Digits with zeros before them. */
export const pad = (value: number, width: number): string => `${value}`.padStart(width, "0");
