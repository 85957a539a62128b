import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { type CronField, parseCronSchedule } from "./cron-schedule.ts";

const shown = ({ values, isStar }: CronField) => `${[...values].join(" ")}${isStar ? " *" : ""}`;

function fields(text: string): readonly string[] {
  const schedule = parseCronSchedule(text);
  if ("every" in schedule) return [`${schedule.every}`];
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
  return [minute, hour, dayOfMonth, month, dayOfWeek].map(shown);
}

const star = {
  hours: "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 *",
  days: "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 *",
  months: "1 2 3 4 5 6 7 8 9 10 11 12 *",
  week: "0 1 2 3 4 5 6 *",
};

each<[rule: string, text: string, fields: readonly string[]]>([
  ["lists and ranges", "0,30 8-10 1 * *", ["0 30", "8 9 10", "1", star.months, star.week]],
  [
    "a step through all is no star",
    "*/20 0 * * ?",
    ["0 20 40", "0", star.days, star.months, star.week],
  ],
  [
    "a step from a number goes to the end",
    "50/4 0 * * *",
    ["50 54 58", "0", star.days, star.months, star.week],
  ],
  ["a step through a range", "0 0-9/3 * * *", ["0", "0 3 6 9", star.days, star.months, star.week]],
  [
    "months and days have names, in any case",
    "0 0 * Jan-MAR sun,Sat",
    ["0", "0", star.days, "1 2 3", "0 6"],
  ],
  ["commas without a range between them say nothing", "0,,5 , 1 1 0", ["0 5", "", "1", "1", "0"]],
  ["once a week", "@weekly", ["0", "0", star.days, star.months, "0"]],
  ["once an hour", "@hourly", ["0", star.hours, star.days, star.months, star.week]],
  ["ever so often", "@every 1h30m", ["5400000000000"]],
])("parseCronSchedule: %s", (_, text, expected) => {
  expect(fields(text)).toEqual(expected);
});

test("parseCronSchedule: a time zone may stand before the fields", () => {
  expect(parseCronSchedule("CRON_TZ=Europe/Berlin @daily")).toMatchObject({
    timeZone: "Europe/Berlin",
  });
});

test.each([
  ["", "empty spec string"],
  ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
  ["0 0 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-x-3 * * * *", "too many hyphens: 1-x-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  [
    "99999999999999999999 * * * *",
    'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
  ["@often", "unrecognized descriptor: @often"],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"],
  ["TZ=Mars/Base * * * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
])("parseCronSchedule: %j is refused", (text, message) => {
  expect(() => parseCronSchedule(text)).toThrow(new SyntaxError(message));
});
