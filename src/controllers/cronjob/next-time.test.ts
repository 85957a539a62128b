import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { parseCronSchedule } from "../../api/batch/v1/cron-schedule.ts";
import { nextTime } from "./next-time.ts";
import { zoneOf } from "./wall-time.ts";

const text = (time: number | undefined): string =>
  time === undefined ? "never" : new Date(time).toISOString().replace(":00.000Z", "Z");

/** The next times of a schedule, to the minute, in UTC. */
function times(schedule: string, zone: string, from: string, count: number): string[] {
  const result: string[] = [];
  let time: number | undefined = Date.parse(from);
  while (result.length < count && time !== undefined) {
    time = nextTime(parseCronSchedule(schedule), time, zoneOf(zone));
    result.push(text(time));
  }
  return result;
}

each<[schedule: string, from: string, next: string]>([
  ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01Z"],
  ["* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01Z"],
  ["*/15 * * * *", "2026-01-01T00:14:59Z", "2026-01-01T00:15Z"],
  ["*/15 * * * *", "2026-01-01T23:45:00Z", "2026-01-02T00:00Z"],
  ["20-35/15 * * * *", "2026-01-01T00:20:00Z", "2026-01-01T00:35Z"],
  ["0 0 1 1 *", "2026-01-01T00:00:00Z", "2027-01-01T00:00Z"],
  ["@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00Z"],
  ["@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00Z"],
  ["0 0 * feb mon", "2026-01-01T00:00:00Z", "2026-02-02T00:00Z"],
  ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00Z"],
  ["0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z"],
  ["0 0 */13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z"],
  ["0 0 13 * */5", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z"],
  ["0 0 * * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z"],
  ["30 6-16/4 * * 1-5", "2026-01-02T14:30:00Z", "2026-01-05T06:30Z"],
  ["0 0 31 2 *", "2026-01-01T00:00:00Z", "never"],
  ["0 0 29 2 *", "2096-03-01T00:00:00Z", "never"],
  ["@every 90m", "2026-01-01T00:00:00.700Z", "2026-01-01T01:30Z"],
  ["@every 1m1.9s", "2026-01-01T00:00:59.999Z", "2026-01-01T00:02Z"],
])("nextTime: %s after %s is at %s", (schedule, from, next) => {
  expect(times(schedule, "UTC", from, 1)).toEqual([next]);
});

each<[string, schedule: string, zone: string, from: string, next: string[]]>([
  [
    "a time that is skipped is left out",
    "30 2 * * *",
    "America/New_York",
    "2026-03-07T00:00:00Z",
    ["2026-03-07T07:30Z", "2026-03-09T06:30Z"],
  ],
  [
    "a time that comes twice is taken twice",
    "30 1 * * *",
    "America/New_York",
    "2026-10-31T12:00:00Z",
    ["2026-11-01T05:30Z", "2026-11-01T06:30Z", "2026-11-02T06:30Z"],
  ],
  [
    "an hour that is skipped",
    "0 * * * *",
    "Europe/Berlin",
    "2026-03-28T23:30:00Z",
    ["2026-03-29T00:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z"],
  ],
  [
    "a day of 23 hours",
    "0 12 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00:00Z",
    ["2026-03-28T11:00Z", "2026-03-29T10:00Z"],
  ],
  [
    "a day of 25 hours",
    "0 12 * * *",
    "Europe/Berlin",
    "2026-10-24T00:00:00Z",
    ["2026-10-24T10:00Z", "2026-10-25T11:00Z"],
  ],
  [
    "a midnight that is skipped",
    "0 0 * * *",
    "America/Sao_Paulo",
    "2018-11-02T12:00:00Z",
    ["2018-11-03T03:00Z", "2018-11-05T02:00Z"],
  ],
  [
    "a day whose midnight is skipped",
    "30 5 4 * *",
    "America/Sao_Paulo",
    "2018-10-30T12:00:00Z",
    ["2018-11-04T07:30Z", "2018-12-04T07:30Z"],
  ],
  [
    "half an hour that is skipped",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-02T12:00:00Z",
    ["2026-10-02T15:45Z", "2026-10-04T15:15Z"],
  ],
  [
    "a zone with 45 minutes",
    "0 9 * * *",
    "Asia/Kathmandu",
    "2026-01-01T00:00:00Z",
    ["2026-01-01T03:15Z"],
  ],
])("nextTime: daylight saving: %s", (_, schedule, zone, from, next) => {
  expect(times(schedule, zone, from, next.length)).toEqual(next);
});
