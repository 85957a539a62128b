import { expect, test } from "vitest";
import { faults } from "../pod/pod.test-support.ts";
import { mergeMatchLabelKeys, validateMatchLabelKeys } from "./match-label-keys.ts";

test.each([
  ["no keys are fine", {}, []],
  [
    "keys need a selector",
    { matchLabelKeys: ["a"] },
    ["matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
  ],
  [
    "so do those that must differ",
    { mismatchLabelKeys: ["a"] },
    ["mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
  ],
  [
    "a key stands on one side",
    { matchLabelKeys: ["a"], mismatchLabelKeys: ["a"], labelSelector: {} },
    ['matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys'],
  ],
  [
    "what was merged into the selector is no conflict",
    {
      matchLabelKeys: ["a"],
      labelSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["x"] }] },
    },
    [],
  ],
  [
    "a key that the selector has itself is",
    {
      matchLabelKeys: ["b", "a"],
      labelSelector: {
        matchLabels: { a: "y" },
        matchExpressions: [{ key: "a", operator: "In", values: ["x"] }],
      },
    },
    ['[1]: Invalid value: "a": exists in both matchLabelKeys and labelSelector'],
  ],
])("validateMatchLabelKeys: %s", (_, keys, expected) => {
  expect(faults((at) => validateMatchLabelKeys(keys, at))).toEqual(expected);
});

test("mergeMatchLabelKeys: labels of the pod become conditions, keys it lacks do not", () => {
  const term = {
    matchLabelKeys: ["a", "c"],
    mismatchLabelKeys: ["b"],
    labelSelector: { matchExpressions: [{ key: "x", operator: "Exists" }] },
  };
  mergeMatchLabelKeys(term, { a: "1", b: "2" });
  expect(term.labelSelector.matchExpressions).toEqual([
    { key: "x", operator: "Exists" },
    { key: "a", operator: "In", values: ["1"] },
    { key: "b", operator: "NotIn", values: ["2"] },
  ]);
});

test("mergeMatchLabelKeys: without a selector there stays none", () => {
  const term = { matchLabelKeys: ["a"] };
  mergeMatchLabelKeys(term, { a: "1" });
  expect(term).toEqual({ matchLabelKeys: ["a"] });
});
