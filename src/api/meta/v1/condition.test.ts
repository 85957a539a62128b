import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { type Condition, validateConditions } from "./condition.ts";

const condition = (more: Partial<Condition> = {}): Condition => ({
  type: "Ready",
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  reason: "Done",
  message: "",
  ...more,
});

const cases: readonly [conditions: readonly Condition[], errors: readonly string[]][] = [
  [[condition(), condition({ type: "a.b/c" })], []],
  [[condition(), condition()], ['[1].type: Duplicate value: "Ready"']],
  [
    [condition({ status: "Maybe", observedGeneration: -1, lastTransitionTime: "", reason: "" })],
    [
      '[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      "[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
      "[0].lastTransitionTime: Required value",
      "[0].reason: Required value",
    ],
  ],
  [
    [condition({ reason: "no blanks" })],
    [
      `[0].reason: Invalid value: "no blanks": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
    ],
  ],
  [
    [condition({ message: "x".repeat(32769) })],
    ["[0].message: Too long: may not be more than 32768 bytes"],
  ],
];

test("validateConditions: each is well formed and no type comes twice", () => {
  const found = cases.map(([conditions]) => {
    const at = At.root();
    validateConditions(conditions, at);
    return at.errors.map(({ field, message }) => `${field}: ${message}`);
  });
  expect(found).toEqual(cases.map(([, errors]) => errors));
});
