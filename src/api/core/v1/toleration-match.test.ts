import { expect, test } from "vitest";
import type { Taint } from "./taint.ts";
import type { Toleration } from "./toleration.ts";
import { toleratesTaint, untoleratedTaint, usedTolerations } from "./toleration-match.ts";

const taint: Taint = { key: "a", value: "1", effect: "NoSchedule" };

test.each<[string, Toleration, boolean]>([
  ["key, value and effect are the same", { key: "a", value: "1", effect: "NoSchedule" }, true],
  ["Equal is what is meant without an operator", { key: "a", operator: "Equal", value: "1" }, true],
  ["another value is not tolerated", { key: "a", value: "2" }, false],
  ["no value is a value", { key: "a" }, false],
  ["Exists does not look at values", { key: "a", operator: "Exists" }, true],
  ["another key is not tolerated", { key: "b", operator: "Exists" }, false],
  ["no key and Exists is good for all", { operator: "Exists" }, true],
  ["another effect is not tolerated", { operator: "Exists", effect: "NoExecute" }, false],
  ["without an effect all are tolerated", { key: "a", value: "1" }, true],
  ["Gt is off", { key: "a", operator: "Gt", value: "0" }, false],
  ["Lt is off", { key: "a", operator: "Lt", value: "2" }, false],
  ["what is no operator tolerates nothing", { key: "a", operator: "Near" as never }, false],
])("toleratesTaint: %s", (_, toleration, tolerates) => {
  expect(toleratesTaint(toleration, taint)).toBe(tolerates);
});

test("toleratesTaint: a taint without a value equals an empty one", () => {
  const bare: Taint = { key: "a", effect: "NoExecute" };
  expect(toleratesTaint({ key: "a" }, bare)).toBe(true);
  expect(toleratesTaint({ key: "a", value: "1" }, bare)).toBe(false);
});

const b: Taint = { key: "b", effect: "NoExecute" };
const c: Taint = { key: "c", effect: "NoExecute" };
const forB: Toleration = { key: "b", operator: "Exists" };
const forAll: Toleration = { operator: "Exists", tolerationSeconds: 5, effect: "NoExecute" };

test("untoleratedTaint: the first that nothing puts up with", () => {
  expect(untoleratedTaint([b, c], [forB])).toBe(c);
  expect(untoleratedTaint([b, c], [forB, forAll])).toBeUndefined();
  expect(untoleratedTaint([b], undefined)).toBe(b);
});

test("usedTolerations: for each taint the first that puts up with it", () => {
  expect(usedTolerations([b, c], [forB, forAll])).toEqual([forB, forAll]);
  expect(usedTolerations([b, c], [forAll, forB])).toEqual([forAll, forAll]);
  expect(usedTolerations([b, c], [forB])).toBeUndefined();
  expect(usedTolerations([], undefined)).toEqual([]);
});
