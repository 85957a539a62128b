import { expect, test } from "vitest";
import { faults } from "../pod/pod.test-support.ts";
import type { NodeSelectorRequirement } from "./node-selector.ts";
import { validateNodeSelector, validateNodeSelectorTerm } from "./node-selector-validation.ts";

const requirement = (key: string, operator: string, ...values: string[]) => ({
  key,
  operator,
  values,
});
const kinds = (list: "matchExpressions" | "matchFields", one: NodeSelectorRequirement) =>
  faults((at) => validateNodeSelectorTerm({ [list]: [one] }, at)).map((fault) =>
    fault.split(": ").slice(0, 2).join(": "),
  );

test.each([
  ["In needs values", requirement("a", "In"), ["matchExpressions[0].values: Required value"]],
  ["Exists takes none", requirement("a", "Exists", "b"), ["matchExpressions[0].values: Forbidden"]],
  [
    "Gt takes one",
    requirement("a", "Gt", "1", "2"),
    ["matchExpressions[0].values: Required value"],
  ],
  ["operators are known", requirement("a", "Is"), ["matchExpressions[0].operator: Invalid value"]],
  [
    "keys are label names",
    requirement("", "Exists"),
    ["matchExpressions[0].key: Invalid value", "matchExpressions[0].key: Invalid value"],
  ],
  [
    "values are label values",
    requirement("a", "In", "-"),
    ["matchExpressions[0].values[0]: Invalid value"],
  ],
])("validateNodeSelectorTerm: of labels, %s", (_, one, expected) => {
  expect(kinds("matchExpressions", one)).toEqual(expected);
});

test.each([
  ["the name can be selected on", requirement("metadata.name", "In", "n"), []],
  ["nothing else can", requirement("spec.x", "In", "n"), ["matchFields[0].key: Invalid value"]],
  [
    "In takes one value",
    requirement("metadata.name", "In", "a", "b"),
    ["matchFields[0].values: Required value"],
  ],
  [
    "Exists does not go",
    requirement("metadata.name", "Exists"),
    ["matchFields[0].operator: Invalid value"],
  ],
  [
    "values are names of nodes",
    requirement("metadata.name", "In", "N"),
    ["matchFields[0].values[0]: Invalid value"],
  ],
])("validateNodeSelectorTerm: of fields, %s", (_, one, expected) => {
  expect(kinds("matchFields", one)).toEqual(expected);
});

test("validateNodeSelector: there is a term", () => {
  expect(faults((at) => validateNodeSelector({ nodeSelectorTerms: [] }, at))).toEqual([
    "nodeSelectorTerms: Required value: must have at least one node selector term",
  ]);
});

test("validateNodeSelector: values that no label has pass where they were before", () => {
  const nodeSelectorTerms = [{ matchExpressions: [requirement("a", "In", "-")] }];
  const allowInvalidValues = true;
  expect(
    faults((at) => validateNodeSelector({ nodeSelectorTerms }, at, { allowInvalidValues })),
  ).toEqual([]);
});
