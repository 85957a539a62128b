import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import { write } from "../../write.test-support.ts";
import { creationErrors, read, updateErrors } from "./outcome.test-support.ts";
import { ValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

const rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
const policy = (spec: object) => ({
  spec: {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: "true" }],
    ...spec,
  },
});
const validation = (change: object) => policy({ validations: [{ expression: "true", ...change }] });
const annotation = (key: string) => ({ key, valueExpression: "'v'" });
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test("ValidatingAdmissionPolicy: what is left out is filled in", () => {
  expect(read(ValidatingAdmissionPolicy, policy({})).spec).toEqual({
    matchConstraints: {
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ ...rule, scope: "*" }],
      matchPolicy: "Equivalent",
    },
    validations: [{ expression: "true" }],
    failurePolicy: "Fail",
  });
});

each<[rule: string, body: object, errors: readonly string[]]>([
  [
    "audit annotations are enough",
    policy({ validations: [], auditAnnotations: [annotation("k")] }),
    [],
  ],
  [
    "a policy looks at something",
    policy({ matchConstraints: { matchPolicy: "Similar" } }),
    [
      'spec.matchConstraints.matchPolicy: Unsupported value: "Similar": supported values: "Equivalent", "Exact"',
      "spec.matchConstraints.resourceRules: Required value",
    ],
  ],
  [
    "the kind of parameters has a version",
    policy({ paramKind: { apiVersion: "apps/", kind: "Deployment" } }),
    ['spec.paramKind.apiVersion: Invalid value: "apps/": version must be specified'],
  ],
  [
    "the kind of parameters has one group",
    policy({ paramKind: { apiVersion: "a/b/c", kind: "D_" } }),
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      `spec.paramKind.kind: Invalid value: "D_": may have mixed case, but should otherwise match: ${label}`,
    ],
  ],
  [
    "group and version of parameters are well formed, each for itself",
    policy({ paramKind: { apiVersion: "A/1", kind: "D" } }),
    [
      `spec.paramKind.apiVersion: Invalid value: "A": ${subdomain}`,
      `spec.paramKind.apiVersion: Invalid value: "1": ${label}`,
    ],
  ],
  [
    "a message is one line and not of spaces",
    policy({
      validations: [
        { expression: "true", message: "a\nb", messageExpression: " " },
        { expression: "true", message: " \n" },
        { expression: "true", message: "\na\n" },
      ],
    }),
    [
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
      'spec.validations[1].message: Invalid value: " \\n": must be non-empty if specified',
    ],
  ],
  [
    "reasons are such as refuse a request",
    validation({ reason: "NotFound" }),
    [
      'spec.validations[0].reason: Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    "keys of annotations are there once",
    policy({ auditAnnotations: [annotation("k"), { key: "k", valueExpression: " " }] }),
    [
      "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified",
      'spec.auditAnnotations[1].key: Duplicate value: "k"',
    ],
  ],
  [
    "expressions of annotations are not too long",
    policy({ auditAnnotations: [{ key: "k", valueExpression: "x".repeat(5121) }] }),
    [
      "spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length",
    ],
  ],
  [
    "names of variables are identifiers and no words of CEL",
    policy({
      variables: [
        { name: "in", expression: "1" },
        { name: "a-b", expression: " " },
        { name: "_a1", expression: "1" },
      ],
    }),
    [
      'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
      'spec.variables[1].name: Invalid value: "a-b": must be a valid CEL identifier',
      "spec.variables[1].expression: Required value: expression is not specified",
    ],
  ],
  [
    "conditions have names of their own",
    policy({
      matchConditions: [
        { name: "a", expression: "true" },
        { name: "a", expression: "" },
      ],
    }),
    [
      "spec.matchConditions[1].expression: Required value",
      'spec.matchConditions[1].name: Duplicate value: "a"',
    ],
  ],
])("ValidatingAdmissionPolicy: %s", (_, body, errors) => {
  expect(creationErrors(ValidatingAdmissionPolicy, body)).toEqual(errors);
});

test("ValidatingAdmissionPolicy: too many annotations are shown as upstream holds them", () => {
  const auditAnnotations = Array.from({ length: 21 }, (_, i) => annotation(`k${i}`));
  const shown = auditAnnotations.map(({ key }) => ({ Key: key, ValueExpression: "'v'" }));
  expect(creationErrors(ValidatingAdmissionPolicy, policy({ auditAnnotations }))).toEqual([
    `spec.auditAnnotations: Invalid value: ${JSON.stringify(shown)}: must not have more than 20 auditAnnotations`,
  ]);
});

test("ValidatingAdmissionPolicy: conditions are looked at again where the kind of parameters changes", () => {
  const matchConditions = [{ name: "", expression: "true" }];
  const old = policy({ matchConditions });
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  expect([
    updateErrors(ValidatingAdmissionPolicy, old, policy({ matchConditions, variables: [] })),
    updateErrors(ValidatingAdmissionPolicy, old, policy({ matchConditions, paramKind })),
  ]).toEqual([[], ["spec.matchConditions[0].name: Required value"]]);
});

test("ValidatingAdmissionPolicy: any finalizer will do, and the name is checked in updates too", () => {
  const metadata = { name: "A", resourceVersion: "1", finalizers: ["mine"] };
  const body = { metadata, ...policy({}) };
  expect(updateErrors(ValidatingAdmissionPolicy, body, body)).toEqual([
    `metadata.name: Invalid value: "A": ${subdomain}`,
  ]);
});

test("ValidatingAdmissionPolicy: warnings of the status name a field", () => {
  const at = At.root();
  const expressionWarnings = [
    { fieldRef: " spec.validations[0].expression ", warning: "w" },
    { fieldRef: " ", warning: "" },
    { fieldRef: "spec[", warning: "w" },
  ];
  const object = read(ValidatingAdmissionPolicy, {
    status: { typeChecking: { expressionWarnings } },
  });
  ValidatingAdmissionPolicy.validateStatusUpdate(object, object, at);
  const place = "status.typeChecking.expressionWarnings";
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    `${place}[1].warning: Required value`,
    `${place}[1].fieldRef: Required value`,
    `${place}[2].fieldRef: Invalid value: "spec[": invalid JSONPath: unterminated array`,
  ]);
});

test("ValidatingAdmissionPolicy: the status is written by itself, and nothing else with it", () => {
  const { strategy } = ValidatingAdmissionPolicy;
  const status = { observedGeneration: 1 };
  const old = read(ValidatingAdmissionPolicy, policy({}));
  const metadata = {
    ...old.metadata,
    labels: { l: "1" },
    deletionTimestamp: "2026-01-01T00:00:00Z",
  };
  const created = read(ValidatingAdmissionPolicy, { ...policy({}), status });
  const updated = read(ValidatingAdmissionPolicy, {
    metadata,
    ...policy({ variables: [] }),
    status,
  });
  strategy.prepareCreate?.(created as never, write);
  strategy.prepareStatusUpdate?.(updated as never, old as never, write);
  expect([created.status, created.metadata.generation]).toEqual([{}, 1]);
  expect([updated.status, updated.spec, updated.metadata]).toEqual([
    status,
    old.spec,
    old.metadata,
  ]);
});
