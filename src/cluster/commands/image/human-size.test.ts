import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";
import { humanSize } from "./human-size.ts";

test.each([
  [0, "0B"],
  [999, "999B"],
  [1000, "1kB"],
  [4_261_550, "4.262MB"],
  [187_654_321, "187.7MB"],
  [2 ** 40, "1.1TB"],
])("humanSize: %d is %s", (bytes, expected) => {
  expect(humanSize(bytes)).toBe(expected);
});

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [500, "Less than a second"],
  [1500, "1 second"],
  [59_000, "59 seconds"],
  [90_000, "About a minute"],
  [45 * minute, "45 minutes"],
  [hour, "About an hour"],
  [47 * hour, "47 hours"],
  [13 * day, "13 days"],
  [20 * day, "2 weeks"],
  [100 * day, "3 months"],
  [3 * 365 * day, "3 years"],
])("humanDuration: %d ms are %s", (milliseconds, expected) => {
  expect(humanDuration(milliseconds)).toBe(expected);
});
