import { quoteBytes } from "./quote.ts";

/** An instant: seconds since 1970, and the nanoseconds after them. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Reads a time of the API (RFC 3339, fraction optional); throws a SyntaxError with Go's words. */
export function parseTime(text: string): Timestamp {
  if (text !== parsed.text) parsed = { text, time: new TimeReader(text, secondsLayout).read() };
  return parsed.time;
}

/** What was read last: objects that are written in a second have its time, most of them twice. */
let parsed: { readonly text: string; readonly time: Timestamp } = {
  text: "1970-01-01T00:00:00Z",
  time: { seconds: 0, nanos: 0 },
};

/** Reads a time of the API that has exactly six digits after the point. */
export function parseMicroTime(text: string): Timestamp {
  return new TimeReader(text, microLayout).read();
}

/** Reads a day (`2026-01-02`), which begins in UTC. */
export function parseDate(text: string): Timestamp {
  return new TimeReader(text, dateLayout).read();
}

/** Reads a time without a zone, in UTC: `2026-01-02T15:04:05`, fraction optional. */
export function parseLocalTime(text: string): Timestamp {
  return new TimeReader(text, localLayout).read();
}

/** Writes whole seconds in UTC: `2026-01-02T15:04:05Z`. */
export function formatTime({ seconds }: Timestamp): string {
  if (seconds !== formatted.seconds) formatted = { seconds, text: `${formatSeconds(seconds)}Z` };
  return formatted.text;
}

/** What was written last: the time of the server to the second, mostly. */
let formatted = { seconds: 0, text: "1970-01-01T00:00:00Z" };

/** Writes microseconds in UTC: `2026-01-02T15:04:05.123456Z`. */
export function formatMicroTime(time: Timestamp): string {
  const micros = Math.floor(time.nanos / 1000);
  return `${formatSeconds(time.seconds)}.${pad(micros, 6)}Z`;
}

/** The string Kubernetes would answer with; null for the zero time, which it takes for none. */
export function canonicalTime(text: string): string | null {
  if (plainTime.test(text)) return text;
  const time = parseTime(text);
  return isZeroTime(time) ? null : formatTime(time);
}

/** The string Kubernetes would answer with; null for the zero time, which it takes for none. */
export function canonicalMicroTime(text: string): string | null {
  if (plainMicroTime.test(text)) return text;
  const time = parseMicroTime(text);
  return isZeroTime(time) ? null : formatMicroTime(time);
}

/** Whether this is the first instant of year 1, Go's zero. */
function isZeroTime(time: Timestamp): boolean {
  return time.seconds === -62135596800 && time.nanos === 0;
}

/** The instant of a clock's milliseconds. */
export function timeFromMillis(millis: number): Timestamp {
  const seconds = Math.floor(millis / 1000);
  return { seconds, nanos: Math.floor((millis - seconds * 1000) * 1e6) };
}

/** Milliseconds since 1970, with a fraction. */
export function millisOf(time: Timestamp): number {
  return time.seconds * 1000 + time.nanos / 1e6;
}

/** A length of time as kubectl prints ages: two or three significant figures. */
export function humanDuration(millis: number): string {
  const seconds = Math.trunc(millis / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 24 * 8) return two(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 24 * 365 * 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

/** Times that are canonical at a glance: this millennium or the last, and a day every month has. */
const plainTime =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const plainMicroTime = new RegExp(plainTime.source.replace("Z$", "\\.\\d{6}Z$"));

const secondsLayout = "2006-01-02T15:04:05Z07:00";
const microLayout = "2006-01-02T15:04:05.000000Z07:00";
const dateLayout = "2006-01-02";
const localLayout = "2006-01-02T15:04:05";
const midnight = { hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 };
const whole = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Reads by Go's layouts, one element after another, so that errors name the same element. */
class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(): Timestamp {
    return this.#readWhole() ?? this.#readElements();
  }

  /** The common case in one step; undefined leaves judgement and wording to the elements. */
  #readWhole(): Timestamp | undefined {
    const match = whole.exec(this.#text);
    if (match === null || !this.#layout.endsWith("Z07:00")) return undefined;
    const [, year, month, day, hour, minute, second, digits = "", sign, zoneHour, zoneMinute] =
      match;
    if (this.#layout === microLayout && digits.length !== 6) return undefined;
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
    const zone = sign === undefined ? 0 : Number(zoneHour) * 3600 + Number(zoneMinute) * 60;
    if (!isDate(date) || time.hour > 23 || time.minute > 59 || time.second > 59) return undefined;
    if (Number(zoneHour ?? 0) > 24 || Number(zoneMinute ?? 0) > 60) return undefined;
    return instant(date, time, { nanos: nanosOf(digits), offset: sign === "-" ? -zone : zone });
  }

  #readElements(): Timestamp {
    const year = this.#year();
    this.#skip("-");
    const month = this.#number("01", { fixed: true, min: 1, max: 12, name: "month" });
    this.#skip("-");
    const day = this.#number("02", { fixed: true, min: 0, max: 99, name: "day" });
    const { hour, minute, second, nanos, offset } =
      this.#layout === dateLayout ? midnight : this.#clock();
    if (this.#rest !== "") throw this.#error(`: extra text: ${quoteBytes(this.#rest)}`);
    const date = { year, month, day };
    if (!isDate(date)) throw this.#error(": day out of range");
    return instant(date, { hour, minute, second }, { nanos, offset });
  }

  #clock(): ClockTime & { readonly nanos: number; readonly offset: number } {
    this.#skip("T");
    const hour = this.#number("15", { fixed: false, min: 0, max: 23, name: "hour" });
    this.#skip(":");
    const minute = this.#number("04", { fixed: true, min: 0, max: 59, name: "minute" });
    this.#skip(":");
    const second = this.#number("05", { fixed: true, min: 0, max: 59, name: "second" });
    const nanos = this.#layout === microLayout ? this.#micros() : this.#fraction();
    const offset = this.#layout === localLayout ? 0 : this.#zone();
    return { hour, minute, second, nanos, offset };
  }

  #skip(prefix: string): void {
    if (!this.#rest.startsWith(prefix)) throw this.#cannot(prefix, this.#rest);
    this.#rest = this.#rest.slice(prefix.length);
  }

  #year(): number {
    return Number(this.#take(/^\d{4}/, "2006"));
  }

  #number(
    element: string,
    rule: { fixed: boolean; min: number; max: number; name: string },
  ): number {
    const value = Number(this.#take(rule.fixed ? /^\d\d/ : /^\d\d?/, element));
    if (value < rule.min || value > rule.max) throw this.#error(`: ${rule.name} out of range`);
    return value;
  }

  /** A fraction that the layout does not name: any number of digits after a point or comma. */
  #fraction(): number {
    const match = /^[.,](\d+)/.exec(this.#rest);
    if (match === null) return 0;
    this.#rest = this.#rest.slice(match[0].length);
    return nanosOf(match[1] ?? "");
  }

  #micros(): number {
    return nanosOf(this.#take(/^[.,]\d{6}/, ".000000").slice(1));
  }

  #zone(): number {
    if (this.#rest.startsWith("Z")) {
      this.#rest = this.#rest.slice(1);
      return 0;
    }
    const text = this.#take(/^.\d\d:\d\d/s, "Z07:00");
    const hour = Number(text.slice(-5, -3));
    const minute = Number(text.slice(-2));
    if (minute > 60) throw this.#error(": time zone offset minute out of range");
    if (hour > 24) throw this.#error(": time zone offset hour out of range");
    if (text[0] !== "+" && text[0] !== "-") throw this.#cannot("Z07:00", text + this.#rest);
    return (hour * 60 + minute) * (text[0] === "-" ? -60 : 60);
  }

  #take(pattern: RegExp, element: string): string {
    const text = pattern.exec(this.#rest)?.[0];
    if (text === undefined) throw this.#cannot(element, this.#rest);
    this.#rest = this.#rest.slice(text.length);
    return text;
  }

  #cannot(element: string, value: string): SyntaxError {
    const layout = quoteBytes(this.#layout);
    return this.#error(
      ` as ${layout}: cannot parse ${quoteBytes(value)} as ${quoteBytes(element)}`,
    );
  }

  #error(detail: string): SyntaxError {
    return new SyntaxError(`parsing time ${quoteBytes(this.#text)}${detail}`);
  }
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}
interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function isDate({ year, month, day }: CivilDate): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (isLeap(year) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function nanosOf(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, "0"));
}

function instant(
  date: CivilDate,
  time: ClockTime,
  { nanos, offset }: { nanos: number; offset: number },
): Timestamp {
  const ofDay = time.hour * 3600 + time.minute * 60 + time.second;
  return { seconds: daysOf(date) * 86400 + ofDay - offset, nanos };
}

/** Days since 1970; years begin in March, so that the leap day is the last. */
function daysOf({ year, month, day }: CivilDate): number {
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146097 + yearOfEra * 365 + leaps + dayOfYear - 719468;
}

/** The inverse of `daysOf`. */
function dateOf(days: number): CivilDate {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const leaps =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const ofYears = 365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - ofYears;
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

function formatSeconds(seconds: number): string {
  const days = Math.floor(seconds / 86400);
  const ofDay = seconds - days * 86400;
  const { year, month, day } = dateOf(days);
  const date = `${year < 0 ? "-" : ""}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const hour = Math.floor(ofDay / 3600);
  const minute = Math.floor(ofDay / 60) % 60;
  return `${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(ofDay % 60, 2)}`;
}

function pad(value: number, width: number): string {
  return `${value}`.padStart(width, "0");
}

function two(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
}
