import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults } from "../pod/pod.test-support.ts";
import { type Toleration, validateTolerations } from "./toleration.ts";

each<[string, Toleration, readonly string[]]>([
  ["Equal is what is meant without an operator", { key: "a", value: "b" }, []],
  ["all taints are tolerated with Exists alone", { operator: "Exists" }, []],
  [
    "without a key there is nothing to be equal to",
    { value: "b" },
    [
      '[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    "time is for NoExecute",
    { key: "a", effect: "NoSchedule", tolerationSeconds: 0 },
    [
      "[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ],
  ],
  [
    "Exists has no value",
    { key: "a", operator: "Exists", value: "b" },
    ["[0].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'"],
  ],
  [
    "comparisons are not on by default",
    { key: "a", operator: "Lt", value: "1" },
    ['[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"'],
  ],
  [
    "operators are known",
    { key: "a", operator: "Is" },
    ['[0].operator: Unsupported value: "Is": supported values: "Equal", "Exists"'],
  ],
  [
    "effects are known",
    { key: "a", effect: "No" },
    [
      '[0].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
])("validateTolerations: %s", (_, toleration, expected) => {
  expect(faults((at) => validateTolerations([toleration], at))).toEqual(expected);
});

test.each([
  ["0", []],
  ["-12", []],
  [
    "",
    [
      '[0].value: Invalid value: "": must be non-empty',
      '[0].value: Invalid value: "": strconv.ParseInt: parsing "": invalid syntax',
    ],
  ],
  ["07", ['[0].value: Invalid value: "07": must be a valid decimal integer in canonical form']],
  [
    "9223372036854775808",
    [
      '[0].value: Invalid value: "9223372036854775808": strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
  ],
])(
  "validateTolerations: where comparisons are tolerated, %s is held against a number",
  (value, expected) => {
    const options = { allowTaintTolerationComparisonOperators: true };
    const toleration = { key: "a", operator: "Gt", value };
    expect(faults((at) => validateTolerations([toleration], at, options))).toEqual(expected);
  },
);
