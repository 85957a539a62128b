import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { LabelSelector } from "../../meta/v1/label-selector.ts";
import { creationErrors, read, updateErrors } from "./outcome.test-support.ts";
import { ValidatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

const binding = (spec: object) => ({
  spec: { policyName: "p", validationActions: ["Deny"], ...spec },
});
const param = (paramRef: object) =>
  binding({ paramRef: { parameterNotFoundAction: "Deny", ...paramRef } });

each<[rule: string, body: object, errors: readonly string[]]>([
  ["a policy and an action are enough", binding({}), []],
  ["no parameters by a selector of all are fine", param({ selector: {} }), []],
  [
    "parameters have a name or labels, not both",
    param({ name: "a", selector: {} }),
    [
      "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
      "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
    ],
  ],
  [
    "what is done without parameters is one of two",
    param({ name: "a", parameterNotFoundAction: "Warn" }),
    [
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Warn": supported values: "Deny", "Allow"',
    ],
  ],
  [
    "what is done without parameters must be said",
    param({ name: ".", parameterNotFoundAction: "" }),
    [
      `spec.paramRef.name: Invalid value: ".": may not be '.'`,
      "spec.paramRef.parameterNotFoundAction: Required value",
    ],
  ],
  [
    "who is refused is not warned",
    binding({ validationActions: ["Warn", "Deny"] }),
    [
      'spec.validationActions: Invalid value: ["Warn","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  ["a binding need not name resources", binding({ matchResources: {} }), []],
  [
    "an unknown action can be there twice, too",
    binding({ validationActions: ["x", "x"] }),
    [
      'spec.validationActions[0]: Unsupported value: "x": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[1]: Unsupported value: "x": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[1]: Duplicate value: "x"',
    ],
  ],
  [
    "conditions on labels have known operators",
    param({ selector: { matchExpressions: [{ key: "a", operator: "Is" }] } }),
    [
      'spec.paramRef.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
    ],
  ],
])("ValidatingAdmissionPolicyBinding: %s", (_, body, errors) => {
  expect(creationErrors(ValidatingAdmissionPolicyBinding, body)).toEqual(errors);
});

test("ValidatingAdmissionPolicyBinding: an update is looked at as a creation is", () => {
  const update = updateErrors(ValidatingAdmissionPolicyBinding, binding({}), {
    metadata: { name: "a", resourceVersion: "1", labels: { "/": "" } },
    spec: { validationActions: ["Deny"] },
  });
  expect(update.map((error) => error.slice(0, error.indexOf(":")))).toEqual([
    "metadata.labels",
    "metadata.labels",
    "metadata.labels",
    "spec.policyName",
  ]);
});

const selector: LabelSelector = {
  matchLabels: { b: "2", a: "1" },
  matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
};

each<[ref: object | undefined, cell: string]>([
  [undefined, "<unset>"],
  [{}, "<unset>"],
  [{ name: "a" }, "*/a"],
  [{ name: "a", namespace: "n" }, "n/a"],
  [
    { selector },
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
  ],
])("ValidatingAdmissionPolicyBinding: a table shows the parameters %j", (paramRef, cell) => {
  const object = read(ValidatingAdmissionPolicyBinding, binding({ paramRef }));
  const column = ValidatingAdmissionPolicyBinding.columns.find(({ name }) => name === "ParamRef");
  expect(column?.cell(object as never, { now: 0 })).toBe(cell);
});
