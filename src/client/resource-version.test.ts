import { expect, test } from "vitest";
import { compareVersions, isAtLeast } from "./resource-version.ts";

test.each([
  ["1", "1", 0],
  ["9", "10", -1],
  ["10", "9", 1],
  ["18446744073709551615", "18446744073709551614", 1],
  ["99999999999999999999", "100000000000000000000", -1],
  ["", "1", undefined],
  ["1", "abc", undefined],
  ["01", "2", undefined],
  ["abc", "abc", 0],
])("compareVersions: %s and %s", (a, b, order) => {
  const found = compareVersions(a, b);
  expect(found === undefined ? undefined : Math.sign(found)).toBe(order);
});

test("isAtLeast: false if versions cannot be compared", () => {
  expect([isAtLeast("2", "2"), isAtLeast("3", "2"), isAtLeast("x", "2")]).toEqual([
    true,
    true,
    false,
  ]);
});
