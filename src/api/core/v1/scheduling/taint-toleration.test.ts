import { expect, test } from "vitest";
import type { Taint } from "./taint.ts";
import { toleratesTaint, untoleratedTaint } from "./taint-toleration.ts";
import type { Toleration } from "./toleration.ts";

const taint: Taint = { key: "a", value: "1", effect: "NoSchedule" };

test.each<[Toleration, boolean]>([
  [{ key: "a", value: "1" }, true],
  [{ key: "a", operator: "Equal", value: "1", effect: "NoSchedule" }, true],
  [{ key: "a", value: "2" }, false],
  [{ key: "b", value: "1" }, false],
  [{ key: "a", operator: "Exists" }, true],
  [{ operator: "Exists" }, true],
  [{ key: "a", operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "a", operator: "Gt", value: "0" }, false],
])("toleratesTaint: %j → %s", (toleration, expected) => {
  expect(toleratesTaint(toleration, taint)).toBe(expected);
});

test("untoleratedTaint: the first that is not tolerated; a preference is none", () => {
  const soft: Taint = { key: "s", effect: "PreferNoSchedule" };
  const hard: Taint = { key: "h", effect: "NoExecute" };
  expect(untoleratedTaint([soft], [])).toBeUndefined();
  expect(untoleratedTaint([soft, taint, hard], [{ key: "a", operator: "Exists" }])).toBe(hard);
  expect(untoleratedTaint(undefined, undefined)).toBeUndefined();
});
