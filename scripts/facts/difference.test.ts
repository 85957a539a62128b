import { expect, test } from "vitest";
import { difference } from "./difference.ts";

test.each([
  ["equal values", { a: [1, { b: null }] }, { a: [1, { b: null }] }, undefined],
  ["the order of members", { a: 1, b: 2 }, { b: 2, a: 1 }, undefined],
  ["a member that is undefined", { a: undefined }, {}, undefined],
  ["another value", { a: { b: 1 } }, { a: { b: "1" } }, '.a.b: recorded 1, now "1"'],
  ["a missing member", { a: null }, {}, ".a: recorded null, now nothing"],
  ["an extra member", {}, { a: 0 }, ".a: recorded nothing, now 0"],
  ["the order of items", [1, 2], [2, 1], "[0]: recorded 1, now 2"],
  ["an extra item", [1], [1, 2], ": 2 items instead of 1; extra: 2"],
  ["a missing item", { a: [1, 2] }, { a: [1] }, ".a: 1 items instead of 2; missing: 2"],
  ["a list instead of an object", { a: {} }, { a: [] }, ".a: recorded {}, now []"],
  ["events", { events: ["a", "b"] }, { events: ["c", "a"] }, '.events: missing "b"; extra "c"'],
  ["the order of events", { events: [1, 2] }, { events: [2, 1] }, ".events: the order differs"],
])("difference: %s", (_, recorded, now, expected) => {
  expect(difference(recorded, now)).toBe(expected);
});
