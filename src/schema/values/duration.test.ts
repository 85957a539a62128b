import { expect, test } from "vitest";
import { canonicalDuration, formatDuration, parseDuration } from "./duration.ts";

test("canonicalDuration: writes as Go does", () => {
  const cases = {
    "0": "0s",
    "+0": "0s",
    "5s": "5s",
    "-5s": "-5s",
    "5.s": "5s",
    ".5s": "500ms",
    "1.0s": "1s",
    "1.00000000000000001s": "1s",
    "3.4s": "3.4s",
    "11ns": "11ns",
    "12us": "12µs",
    "12µs": "12µs",
    "12μs": "12µs",
    "1.5us": "1.5µs",
    "13ms": "13ms",
    "90s": "1m30s",
    "15m": "15m0s",
    "1h": "1h0m0s",
    "3h30m": "3h30m0s",
    "10.5s4m": "4m10.5s",
    "-2m3.4s": "-2m3.4s",
    "1h2m3s4ms5us6ns": "1h2m3.004005006s",
    "0.100000000000000000000h": "6m0s",
    "0.3333333333333333333h": "20m0s",
    "0.830103483285477580700h": "49m48.372539827s",
    "9223372036854775807ns": "2562047h47m16.854775807s",
    "9223372036854775.807us": "2562047h47m16.854775807s",
    "-9223372036854775808ns": "-2562047h47m16.854775808s",
  };
  const got = Object.keys(cases).map((text) => [text, canonicalDuration(text)]);
  expect(Object.fromEntries(got)).toEqual(cases);
});

test.each([
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["s", 'time: invalid duration "s"'],
  [".", 'time: invalid duration "."'],
  ["-.s", 'time: invalid duration "-.s"'],
  ["+.s", 'time: invalid duration "+.s"'],
  ["3", 'time: missing unit in duration "3"'],
  ["1s2", 'time: missing unit in duration "1s2"'],
  ["3000000h", 'time: invalid duration "3000000h"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
  ["99999999999999999999x", 'time: invalid duration "99999999999999999999x"'],
  ["5 s", 'time: unknown unit " s" in duration "5 s"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1日", 'time: unknown unit "\\xe6\\x97\\xa5" in duration "1\\xe6\\x97\\xa5"'],
  ["1s-2s", 'time: unknown unit "s-" in duration "1s-2s"'],
])("parseDuration: %j is refused", (text, message) => {
  expect(() => parseDuration(text)).toThrow(new SyntaxError(message));
});

test("parseDuration: gives nanoseconds", () => {
  expect([parseDuration("1.5h"), formatDuration(-1n)]).toEqual([5_400_000_000_000n, "-1ns"]);
});
