import type { CronFields, CronSchedule } from "../../api/batch/v1/cron-schedule.ts";
import type { WallTime, Zone } from "./wall-time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The first time of a schedule after a time, both in milliseconds since the epoch; undefined if there is
 * none within five years. When clocks go forward, times that they skip are left out; when they go back,
 * times come twice. That follows from the order of the steps, which is that of upstream's library.
 */
export function nextTime(schedule: CronSchedule, after: number, zone: Zone): number | undefined {
  const whole = Math.floor(after / second) * second;
  if ("every" in schedule) return whole + everyMs(schedule.every);
  const start = whole + second;
  return new Search(schedule, zone, start).run();
}

/** Whole seconds, and one at least. */
const everyMs = (nanos: bigint): number => Math.max(1, Number(nanos / 1_000_000_000n)) * second;

/** Raises one field after another until all fit; a field that wraps around begins the search again. */
class Search {
  readonly #schedule: CronFields;
  readonly #zone: Zone;
  readonly #lastYear: number;
  #time: number;
  #wall: WallTime;
  /** Whether a field was raised, so that those below it are at their beginning. */
  #isRaised = false;

  constructor(schedule: CronFields, zone: Zone, start: number) {
    this.#schedule = schedule;
    this.#zone = zone;
    this.#time = start;
    this.#wall = zone.wallTimeAt(start);
    this.#lastYear = this.#wall.year + 5;
  }

  run(): number | undefined {
    while (this.#wall.year <= this.#lastYear)
      if (this.#month() && this.#day() && this.#hour() && this.#minute() && this.#second())
        return this.#time;
    return undefined;
  }

  #month(): boolean {
    while (!this.#schedule.month.values.has(this.#wall.month)) {
      this.#begin({ day: 1, hour: 0, minute: 0, second: 0 });
      this.#show({ ...this.#wall, month: this.#wall.month + 1 });
      if (this.#wall.month === 1) return false;
    }
    return true;
  }

  #day(): boolean {
    while (!this.#fitsDay()) {
      this.#begin({ hour: 0, minute: 0, second: 0 });
      this.#show({ ...this.#wall, day: this.#wall.day + 1 });
      // Where midnight does not exist, the clocks show an hour before or after it.
      const { hour: shown } = this.#wall;
      if (shown !== 0) this.#set(this.#time + (shown > 12 ? 24 - shown : -shown) * hour);
      if (this.#wall.day === 1) return false;
    }
    return true;
  }

  #hour(): boolean {
    while (!this.#schedule.hour.values.has(this.#wall.hour)) {
      this.#begin({ minute: 0, second: 0 });
      this.#set(this.#time + hour);
      if (this.#wall.hour === 0) return false;
    }
    return true;
  }

  #minute(): boolean {
    while (!this.#schedule.minute.values.has(this.#wall.minute)) {
      if (!this.#isRaised) this.#set(Math.floor(this.#time / minute) * minute);
      this.#isRaised = true;
      this.#set(this.#time + minute);
      if (this.#wall.minute === 0) return false;
    }
    return true;
  }

  /** Schedules have no field for seconds: the first one of the minute fits. */
  #second(): boolean {
    if (this.#wall.second === 0) return true;
    this.#isRaised = true;
    this.#set(this.#time + (60 - this.#wall.second) * second);
    return false;
  }

  /** If both days are restricted, one that fits is enough. */
  #fitsDay(): boolean {
    const { dayOfMonth, dayOfWeek } = this.#schedule;
    const fits = [
      dayOfMonth.values.has(this.#wall.day),
      dayOfWeek.values.has(this.#wall.weekday),
    ] as const;
    return dayOfMonth.isStar || dayOfWeek.isStar ? fits[0] && fits[1] : fits[0] || fits[1];
  }

  /** Sets the fields below to their beginning, the first time that a field is raised. */
  #begin(fields: Partial<WallTime>): void {
    if (!this.#isRaised) this.#show({ ...this.#wall, ...fields });
    this.#isRaised = true;
  }

  #show(wall: WallTime): void {
    this.#set(this.#zone.timeAt(wall));
  }

  #set(time: number): void {
    this.#time = time;
    this.#wall = this.#zone.wallTimeAt(time);
  }
}
