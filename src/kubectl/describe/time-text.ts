import type { Clock } from "../../base/clock.ts";
import { humanDuration, millisOf, parseTime } from "../../schema/values/time.ts";

type Time = string | null | undefined;

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"].concat([
  "Jul",
  "Aug",
  "Sep",
  "Oct",
  "Nov",
  "Dec",
]);

/** A time in the zone of this machine: `Mon, 02 Jan 2006 15:04:05 -0700`; without one, Go's zero. */
export function timeText(time: Time): string {
  if (!time) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const date = new Date(millisOf(parseTime(time)));
  const day = `${days[date.getDay()]}, ${two(date.getDate())} ${months[date.getMonth()]}`;
  return `${day} ${four(date.getFullYear())} ${clockText(date)} ${zoneOffset(date)}`;
}

/** A time as Go prints it: `2006-01-02 15:04:05 -0700 MST`. */
export function goTimeText(time: Time): string {
  if (!time) return "0001-01-01 00:00:00 +0000 UTC";
  const date = new Date(millisOf(parseTime(time)));
  const day = `${four(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${clockText(date)} ${zoneOffset(date)} ${zoneName(date)}`;
}

/** How long ago a time is. */
export function sinceText(time: Time, clock: Pick<Clock, "now">): string {
  return time ? humanDuration(clock.now() - millisOf(parseTime(time))) : "<unknown>";
}

const two = (value: number): string => String(value).padStart(2, "0");
const four = (value: number): string => String(value).padStart(4, "0");

const clockText = (date: Date): string =>
  `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

function zoneOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${two(size % 60)}`;
}

/** The abbreviation of the zone; British texts know those of Europe. */
function zoneName(date: Date): string {
  for (const locale of ["en-US", "en-GB"]) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: "short" }).formatToParts(date);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    if (/^[A-Z]+$/.test(name)) return name;
  }
  return zoneOffset(date).replace(/00$/, "");
}
