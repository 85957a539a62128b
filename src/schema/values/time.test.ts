import { expect, test } from "vitest";
import {
  canonicalMicroTime,
  canonicalTime,
  formatMicroTime,
  formatTime,
  humanDuration,
  millisOf,
  parseMicroTime,
  parseTime,
  timeFromMillis,
} from "./time.ts";

test.each([
  ["1970-01-01T00:00:00Z", { seconds: 0, nanos: 0 }],
  ["2026-02-28T23:59:59Z", { seconds: 1772323199, nanos: 0 }],
  ["2024-02-29T12:30:45.5Z", { seconds: 1709209845, nanos: 500000000 }],
  ["2024-02-29T12:30:45.1234567891Z", { seconds: 1709209845, nanos: 123456789 }],
  ["2024-02-29T12:30:45,25Z", { seconds: 1709209845, nanos: 250000000 }],
  ["2024-02-29T12:30:45+01:30", { seconds: 1709204445, nanos: 0 }],
  ["2024-02-29T12:30:45-24:60", { seconds: 1709299845, nanos: 0 }],
  ["2024-02-29T1:30:45Z", { seconds: 1709170245, nanos: 0 }],
  ["1969-12-31T23:59:59.75Z", { seconds: -1, nanos: 750000000 }],
  ["0000-01-01T00:00:00Z", { seconds: -62167219200, nanos: 0 }],
])("parseTime: %s", (text, want) => {
  expect(parseTime(text)).toEqual(want);
});

test("parseTime: agrees with Date through four centuries", () => {
  const days = Array.from({ length: 1500 }, (_, i) => new Date(Date.UTC(1800, 0, 1 + i * 101)));
  expect(days.map((day) => parseTime(day.toISOString()).seconds * 1000)).toEqual(
    days.map((day) => day.getTime()),
  );
  expect(days.map((day) => formatTime(timeFromMillis(day.getTime())))).toEqual(
    days.map((day) => day.toISOString().replace(".000Z", "Z")),
  );
});

const layout = '"2006-01-02T15:04:05Z07:00"';

test.each([
  ["x", `parsing time "x" as ${layout}: cannot parse "x" as "2006"`],
  ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
  ["20a4-01-02", `parsing time "20a4-01-02" as ${layout}: cannot parse "20a4-01-02" as "2006"`],
  ["2024", `parsing time "2024" as ${layout}: cannot parse "" as "-"`],
  ["2024-1-02", `parsing time "2024-1-02" as ${layout}: cannot parse "1-02" as "01"`],
  ["2024-13-02", 'parsing time "2024-13-02": month out of range'],
  ["2024-01-02", `parsing time "2024-01-02" as ${layout}: cannot parse "" as "T"`],
  [
    "2024-01-02 03:04:05Z",
    `parsing time "2024-01-02 03:04:05Z" as ${layout}: cannot parse " 03:04:05Z" as "T"`,
  ],
  ["2024-01-02T24:00:00Z", 'parsing time "2024-01-02T24:00:00Z": hour out of range'],
  ["2024-01-02T23:60:00Z", 'parsing time "2024-01-02T23:60:00Z": minute out of range'],
  ["2024-01-02T23:00:60Z", 'parsing time "2024-01-02T23:00:60Z": second out of range'],
  [
    "2024-01-02T23:00:00",
    `parsing time "2024-01-02T23:00:00" as ${layout}: cannot parse "" as "Z07:00"`,
  ],
  [
    "2024-01-02T23:00:00.",
    `parsing time "2024-01-02T23:00:00." as ${layout}: cannot parse "." as "Z07:00"`,
  ],
  [
    "2024-01-02T23:00:00*01:00",
    `parsing time "2024-01-02T23:00:00*01:00" as ${layout}: cannot parse "*01:00" as "Z07:00"`,
  ],
  [
    "2024-01-02T23:00:00+25:00",
    'parsing time "2024-01-02T23:00:00+25:00": time zone offset hour out of range',
  ],
  [
    "2024-01-02T23:00:00+00:61",
    'parsing time "2024-01-02T23:00:00+00:61": time zone offset minute out of range',
  ],
  [
    "2024-01-02T23:00:00Zü",
    'parsing time "2024-01-02T23:00:00Z\\xc3\\xbc": extra text: "\\xc3\\xbc"',
  ],
  ["2023-02-29T00:00:00Z", 'parsing time "2023-02-29T00:00:00Z": day out of range'],
  ["2023-04-31T00:00:00Z", 'parsing time "2023-04-31T00:00:00Z": day out of range'],
  ["2023-04-00T00:00:00Z", 'parsing time "2023-04-00T00:00:00Z": day out of range'],
])("parseTime: %j is refused", (text, message) => {
  expect(() => parseTime(text)).toThrow(new SyntaxError(message));
});

const microLayout = '"2006-01-02T15:04:05.000000Z07:00"';

test.each([
  ["2024-01-02T03:04:05Z", "Z", ".000000"],
  ["2024-01-02T03:04:05.123Z", ".123Z", ".000000"],
  ["2024-01-02T03:04:05.123456789Z", "789Z", "Z07:00"],
])("parseMicroTime: %s has not six digits", (text, rest, element) => {
  const message = `parsing time "${text}" as ${microLayout}: cannot parse "${rest}" as "${element}"`;
  expect(() => parseMicroTime(text)).toThrow(new SyntaxError(message));
});

test("canonicalTime: UTC and whole seconds; the zero time is none", () => {
  const cases = {
    "2024-02-29T12:30:45Z": "2024-02-29T12:30:45Z",
    "2024-02-29T12:30:45.999Z": "2024-02-29T12:30:45Z",
    "2024-02-29T12:30:45+01:30": "2024-02-29T11:00:45Z",
    "2024-02-29T1:30:45.1Z": "2024-02-29T01:30:45Z",
    "0001-01-01T00:00:00Z": null,
    "0000-01-01T00:00:00+01:00": "-0001-12-31T23:00:00Z",
    "9999-12-31T23:59:59-01:00": "10000-01-01T00:59:59Z",
  };
  const got = Object.keys(cases).map((text) => [text, canonicalTime(text)]);
  expect(Object.fromEntries(got)).toEqual(cases);
});

test("canonicalMicroTime: UTC and microseconds", () => {
  expect([
    canonicalMicroTime("2024-02-29T12:30:45.000001+01:00"),
    canonicalMicroTime("0001-01-01T00:00:00.000000Z"),
    formatMicroTime({ seconds: 0, nanos: 1999 }),
    millisOf(timeFromMillis(1234.5)),
  ]).toEqual(["2024-02-29T11:30:45.000001Z", null, "1970-01-01T00:00:00.000001Z", 1234.5]);
});

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each<[number, string]>([
  [-2 * second, "<invalid>"],
  [-1500, "0s"],
  [0, "0s"],
  [second - 1, "0s"],
  [70 * second, "70s"],
  [2 * minute, "2m"],
  [2 * minute + 10 * second, "2m10s"],
  [10 * minute + 5 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 5 * minute, "3h5m"],
  [8 * hour + 5 * minute, "8h"],
  [2 * day, "2d"],
  [2 * day + 3 * hour, "2d3h"],
  [8 * day + 3 * hour, "8d"],
  [2 * 365 * day - 1, "729d"],
  [2 * 365 * day, "2y"],
  [2 * 365 * day + 23 * day, "2y23d"],
  [8 * 365 * day + day, "8y"],
])("humanDuration: %d ms are %s", (millis, text) => {
  expect(humanDuration(millis)).toBe(text);
});
