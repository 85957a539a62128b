/** Date and time of day on the clocks of a zone. */
export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** From 0, Sunday. */
  readonly weekday: number;
}

/** The clocks of a time zone; times are milliseconds since the epoch. */
export interface Zone {
  /** How far the clocks are ahead of UTC at a time. */
  offsetAt(time: number): number;
  wallTimeAt(time: number): WallTime;
  /** When the clocks show a date and time; fields beyond their range carry over. */
  timeAt(wall: Omit<WallTime, "weekday">): number;
}

const slotMs = 15 * 60 * 1000;

/** The zone of an IANA name; as in Go, UTC if empty, and the zone of the process if `Local`. */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    timeZone: name === "" ? "UTC" : name === "Local" ? undefined : name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  /** The offset that was looked up last: clocks change at quarters of an hour only. */
  let known = { slot: Number.NaN, offset: 0 };
  const offsetAt = (time: number): number => {
    const slot = Math.floor(time / slotMs);
    if (slot !== known.slot) known = { slot, offset: lookUp(slot * slotMs) };
    return known.offset;
  };
  const lookUp = (time: number): number => {
    const parts = format.formatToParts(time).map(({ type, value }) => [type, value] as const);
    const of = Object.fromEntries(parts) as Record<string, string>;
    const [year, month, day] = [Number(of.year), Number(of.month), Number(of.day)];
    const [hour, minute, second] = [Number(of.hour), Number(of.minute), Number(of.second)];
    return Date.UTC(year, month - 1, day, hour, minute, second) - time;
  };
  return {
    offsetAt,
    wallTimeAt(time) {
      const shown = new Date(time + offsetAt(time));
      return {
        year: shown.getUTCFullYear(),
        month: shown.getUTCMonth() + 1,
        day: shown.getUTCDate(),
        hour: shown.getUTCHours(),
        minute: shown.getUTCMinutes(),
        second: shown.getUTCSeconds(),
        weekday: shown.getUTCDay(),
      };
    },
    timeAt({ year, month, day, hour, minute, second }) {
      const shown = Date.UTC(year, month - 1, day, hour, minute, second);
      // Near a change, Go takes the offset that holds at the time which the first offset leads to.
      return shown - offsetAt(shown - offsetAt(shown));
    },
  };
}
