import { expect, test } from "vitest";
import type { Toleration } from "../../../api/core/v1/scheduling/toleration.ts";
import { mergeTolerations } from "./merge-tolerations.ts";

const all = { operator: "Exists" };
const key = { key: "a", operator: "Exists" };
const noSchedule = { ...key, effect: "NoSchedule" };
const noExecute = { ...key, effect: "NoExecute" };
const equal = { key: "a", operator: "Equal", value: "v" };
const minute = { ...noExecute, tolerationSeconds: 60 };
const hour = { ...noExecute, tolerationSeconds: 3600 };

test.each([
  ["nothing", [], [], []],
  ["different ones", [{ ...key, key: "b" }], [key], [{ ...key, key: "b" }, key]],
  ["equal ones", [{ ...key, value: "" }], [key], [{ ...key, value: "" }]],
  ["one of every key", [key, equal], [all], [all]],
  ["one of every effect", [noSchedule], [key], [key]],
  ["one that comes first", [key], [noSchedule, noExecute], [key]],
  ["one for a shorter time", [minute], [hour], [hour]],
  ["one for a shorter time and one for ever", [minute], [noExecute], [noExecute]],
  ["one value and all of them", [equal], [key], [key]],
  ["all values and one", [key], [equal], [key]],
  ["another value", [equal], [{ ...equal, value: "w" }], [equal, { ...equal, value: "w" }]],
  [
    "an omitted and an explicit operator Equal",
    [{ key: "a", value: "v" }],
    [equal],
    [{ key: "a", value: "v" }],
  ],
  [
    "an explicit and an omitted operator Equal",
    [equal],
    [{ key: "a", value: "v" }],
    [{ key: "a", value: "v" }],
  ],
  ["numbers", [{ ...equal, operator: "Lt" }], [equal], [{ ...equal, operator: "Lt" }, equal]],
])("mergeTolerations: %s", (_, first, second, merged) => {
  const tolerations = (list: readonly object[]) => list as readonly Toleration[];
  expect(mergeTolerations(tolerations(first), tolerations(second))).toEqual(merged);
});
