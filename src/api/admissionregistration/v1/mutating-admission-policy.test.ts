import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { write } from "../../write.test-support.ts";
import { MutatingAdmissionPolicy as Alpha } from "../v1alpha1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding as AlphaBinding } from "../v1alpha1/mutating-admission-policy-binding.ts";
import { MutatingAdmissionPolicy as Beta } from "../v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicy } from "./mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding.ts";
import { creationErrors, read, updateErrors } from "./outcome.test-support.ts";

const rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
const json = {
  patchType: "JSONPatch",
  jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/spec'}]" },
};
const apply = {
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression: "Object{}" },
};
const policy = (spec: object) => ({
  spec: {
    matchConstraints: { resourceRules: [rule] },
    mutations: [json],
    reinvocationPolicy: "Never",
    ...spec,
  },
});

each<[rule: string, body: object, errors: readonly string[]]>([
  ["changes of both types are taken", policy({ mutations: [json, apply] }), []],
  [
    "a change has a type",
    policy({
      mutations: [{ jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/spec'}]" } }],
    }),
    ["spec.mutations[0].patchType: Required value"],
  ],
  [
    "a JSON patch is given as one, and as nothing else",
    policy({ mutations: [{ ...apply, patchType: "JSONPatch" }] }),
    [
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ],
  ],
  [
    "what is applied is given as that, and as nothing else",
    policy({ mutations: [{ ...json, patchType: "ApplyConfiguration" }] }),
    [
      "spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
  ],
  [
    "an expression of spaces is none",
    policy({ mutations: [{ ...apply, applyConfiguration: { expression: "\n" } }] }),
    ["spec.mutations[0].applyConfiguration.expression: Required value"],
  ],
  [
    "what is deleted cannot be changed",
    policy({ matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE", "x"] }] } }),
    [
      'spec.matchConstraints.resourceRules[0].operations[1]: Unsupported value: "x": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "x": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  [
    "the policies are known ones",
    policy({ failurePolicy: "", reinvocationPolicy: "Always" }),
    [
      'spec.failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"',
      'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    ],
  ],
  [
    "variables come before changes",
    policy({ variables: [{ name: " " }], mutations: [] }),
    [
      "spec.variables[0].name: Required value: name is not specified",
      "spec.variables[0].expression: Required value: expression is not specified",
      "spec.mutations: Required value: mutations must contain at least one item",
    ],
  ],
])("MutatingAdmissionPolicy: %s", (_, body, errors) => {
  for (const version of [MutatingAdmissionPolicy, Beta, Alpha])
    expect(creationErrors(version, body)).toEqual(errors);
});

test("MutatingAdmissionPolicy: conditions that did not change are not looked at", () => {
  const old = policy({ matchConditions: [{ name: "" }] });
  expect(updateErrors(MutatingAdmissionPolicy, old, old)).toEqual([]);
});

test.each([MutatingAdmissionPolicy, Alpha])(
  "MutatingAdmissionPolicy: $version is stored as v1beta1 and comes back as it was",
  (version) => {
    const object = read(version, policy({}));
    const stored = version.conversion?.toStored(object as never);
    expect(version.conversion?.stored).toBe(Beta);
    expect(stored).toEqual({ ...object, apiVersion: "admissionregistration.k8s.io/v1beta1" });
    expect(version.conversion?.fromStored(stored as never)).toEqual(object);
  },
);

const binding = { spec: { policyName: "p", paramRef: { name: "a" } } };

test("MutatingAdmissionPolicyBinding: only the alpha says what is done without parameters", () => {
  expect(creationErrors(AlphaBinding, binding)).toEqual([]);
  expect(creationErrors(MutatingAdmissionPolicyBinding, binding)).toEqual([
    "spec.paramRef.parameterNotFoundAction: Required value",
  ]);
});

test("MutatingAdmissionPolicyBinding: what is deleted cannot be changed", () => {
  const resourceRules = [{ ...rule, operations: ["DELETE"] }];
  const spec = { policyName: "P", matchResources: { resourceRules, namespaceSelector: {} } };
  expect(creationErrors(MutatingAdmissionPolicyBinding, { spec })).toEqual([
    expect.stringMatching(/^spec\.policyName: Invalid value: "P": a lowercase RFC 1123 subdomain/),
    'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
  ]);
});

test("MutatingAdmissionPolicy: the generation counts what the spec means", () => {
  const generationAfter = (spec: object) => {
    const object = read(MutatingAdmissionPolicy, policy(spec));
    const old = read(MutatingAdmissionPolicy, policy({}));
    for (const { metadata } of [old, object]) Object.assign(metadata, { generation: 4 });
    MutatingAdmissionPolicy.strategy.prepareUpdate?.(object as never, old as never, write);
    return object.metadata.generation;
  };
  expect([{ variables: [] }, { failurePolicy: "Ignore" }].map(generationAfter)).toEqual([4, 5]);
});
