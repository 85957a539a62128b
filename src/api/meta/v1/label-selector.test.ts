import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import {
  hasInvalidLabelValue,
  isEmptyLabelSelector,
  type LabelSelector,
  type LabelSelectorOptions,
  sameSelector,
  validateLabelSelector,
} from "./label-selector.ts";

const faults = (selector: LabelSelector | undefined, options?: LabelSelectorOptions) => {
  const at = At.root();
  validateLabelSelector(selector, at.child("selector"), options);
  return at.errors.map(({ field, type }) => `${field} ${type}`);
};
const one = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, values }],
});
const place = "selector.matchExpressions[0]";

test.each([
  ["no selector is fine", undefined, undefined, []],
  ["an empty one too", {}, undefined, []],
  ["In needs values", one("a", "In"), undefined, [`${place}.values FieldValueRequired`]],
  [
    "Exists takes none",
    one("a", "Exists", "x"),
    undefined,
    [`${place}.values FieldValueForbidden`],
  ],
  ["operators are known", one("a", "Is"), undefined, [`${place}.operator FieldValueInvalid`]],
  ["unless others are allowed", one("a", "Is"), { allowUnknownOperator: true }, []],
  ["keys are label names", one("-", "Exists"), undefined, [`${place}.key FieldValueInvalid`]],
  [
    "values are label values",
    one("a", "In", "b", "-"),
    undefined,
    [`${place}.values[1] FieldValueInvalid`],
  ],
  ["unless they were not before", one("a", "In", "-"), { allowInvalidValues: true }, []],
  [
    "labels are labels",
    { matchLabels: { a: "-" } },
    undefined,
    ["selector.matchLabels FieldValueInvalid"],
  ],
])("validateLabelSelector: %s", (_, selector, options, expected) => {
  expect(faults(selector, options)).toEqual(expected);
});

test("hasInvalidLabelValue: looks at the values of expressions", () => {
  expect([one("a", "In", "-"), one("a", "In", "b"), undefined].map(hasInvalidLabelValue)).toEqual([
    true,
    false,
    false,
  ]);
});

test("isEmptyLabelSelector: selects by nothing", () => {
  expect([{}, { matchLabels: {} }, { matchLabels: { a: "" } }].map(isEmptyLabelSelector)).toEqual([
    true,
    true,
    false,
  ]);
});

test("sameSelector: an empty map is none, but no selector is not an empty one", () => {
  const a = { matchExpressions: [{ key: "a", operator: "Exists" }] };
  expect(
    [
      [a, { ...a, matchLabels: {} }],
      [a, { matchLabels: { a: "b" } }],
      [{}, undefined],
      [undefined, undefined],
    ].map(([x, y]) => sameSelector(x, y)),
  ).toEqual([true, false, false, true]);
});
