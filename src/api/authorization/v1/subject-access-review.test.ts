import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { StatusError } from "../../meta/v1/status-error.ts";
import { write } from "../../write.test-support.ts";
import { LocalSubjectAccessReview } from "./local-subject-access-review.ts";
import { SelfSubjectAccessReview } from "./self-subject-access-review.ts";
import { SelfSubjectRulesReview } from "./self-subject-rules-review.ts";
import { SubjectAccessReview } from "./subject-access-review.ts";

const apiVersion = "authorization.k8s.io/v1";
const status = { allowed: false };
type Spec = SubjectAccessReview["spec"];

const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const reviewed = (spec: Spec, metadata = {}): readonly string[] => {
  const review = { apiVersion, kind: "SubjectAccessReview", metadata, spec, status };
  return errors((at) => SubjectAccessReview.validateCreate(review, at));
};
const selected = (resourceAttributes: Spec["resourceAttributes"]): readonly string[] =>
  reviewed({ user: "jane", resourceAttributes });
const place = "spec.resourceAttributes";

const cases: readonly [rule: string, actual: readonly string[], expected: readonly string[]][] = [
  ["a group is enough", reviewed({ groups: ["a"], resourceAttributes: {} }), []],
  [
    "somebody asks for something",
    reviewed({}),
    [
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ],
  [
    "a request is for a resource or for a path",
    reviewed({
      user: "jane",
      resourceAttributes: {},
      nonResourceAttributes: { path: "/x", verb: "get" },
    }),
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
  ],
  [
    "there is no metadata, and managed fields do not count",
    [
      ...reviewed({ user: "a", resourceAttributes: {} }, { managedFields: [{ manager: "m" }] }),
      ...reviewed({ user: "a", resourceAttributes: {} }, { labels: {} }),
      ...reviewed({ user: "a", resourceAttributes: {} }, { name: "x" }),
    ],
    ['metadata: Invalid value: {"name":"x"}: must be empty'],
  ],
  [
    "a selector has one form",
    selected({
      fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "Exists" }] },
      labelSelector: {},
    }),
    [
      `${place}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
      `${place}.labelSelector.requirements: Required value: when ${place}.labelSelector is specified, requirements or rawSelector is required`,
    ],
  ],
  [
    "operators and values of fields fit, and unknown operators pass",
    selected({
      fieldSelector: {
        requirements: [
          { key: "", operator: "In" },
          { key: "a", operator: "Exists", values: ["b"] },
          { key: "a", operator: "Like" },
        ],
      },
    }),
    [
      `${place}.fieldSelector.requirements[0].key: Required value: must be specified`,
      `${place}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${place}.fieldSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ],
  ],
  [
    "operators and values of labels fit, and unknown operators pass",
    selected({
      labelSelector: {
        requirements: [
          { key: "a", operator: "NotIn" },
          { key: "a", operator: "Like" },
        ],
      },
    }),
    [
      `${place}.labelSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
  ],
];
test.each(cases)("SubjectAccessReview: %s", (_, actual, expected) => {
  expect(actual).toEqual(expected);
});

test("SelfSubjectAccessReview: needs no user", () => {
  const review = (spec: SelfSubjectAccessReview["spec"], metadata = {}) =>
    errors((at) =>
      SelfSubjectAccessReview.validateCreate(
        { apiVersion, kind: "SelfSubjectAccessReview", metadata, spec, status },
        at,
      ),
    );
  expect([review({ nonResourceAttributes: {} }), review({}, { name: "x" })]).toEqual([
    [],
    [
      "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
  ]);
});

test("LocalSubjectAccessReview: is of its namespace alone", () => {
  const review = (spec: Spec, metadata: LocalSubjectAccessReview["metadata"]) =>
    errors((at) =>
      LocalSubjectAccessReview.validateCreate(
        { apiVersion, kind: "LocalSubjectAccessReview", metadata, spec, status },
        at,
      ),
    );
  const user = "jane";
  expect([
    review({ user, resourceAttributes: { namespace: "n" } }, { namespace: "n" }),
    review({ user, resourceAttributes: {} }, { namespace: "n", name: "x" }),
    review({ user, nonResourceAttributes: { path: "/" } }, { namespace: "n" }),
  ]).toEqual([
    [],
    [
      'metadata: Invalid value: {"name":"x","namespace":"n"}: must be empty except for namespace',
      'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
    ],
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":""}: disallowed on this kind of request',
    ],
  ]);
});

test("SelfSubjectRulesReview: asks about a namespace", () => {
  const { prepareCreate } = SelfSubjectRulesReview.strategy;
  expect(() => prepareCreate?.({ spec: {} } as never, write)).toThrow(
    new StatusError("BadRequest", "no namespace on request"),
  );
});
