import { beforeEach, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { openParts, type TestParts } from "../../verbs/verb-parts.test-support.ts";
import { attributes, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { isExempt } from "./exempt.ts";
import { type RequestCriteria, requestMatcher } from "./request-matcher.ts";

let parts: TestParts;
beforeEach(async () => {
  parts = await openParts();
  await parts.createNamespace("a");
});

const rule = {
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*/*"],
};
const beta = { ...rule, apiVersions: ["v1beta1"] };
const claims = kindAt("resource.k8s.io", "resourceclaims");
const claim: TestAttributes = { address: { kind: claims, namespace: "a" } };
const scaleOfSet: TestAttributes = {
  address: { kind: kindAt("apps", "deployments"), namespace: "a" },
  subresource: "scale",
  operation: "UPDATE",
};
const inA: TestAttributes = { address: { namespace: "a" } };
const labelled = (labels: object): TestAttributes => ({ ...inA, metadata: { labels } });
const a = { objectSelector: { matchLabels: { a: "1" } } };
const nameOfA = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "a" } } };
const namespaces = { kind: "Namespace", address: { namespace: "" } } as const;
const everything = { namespaceSelector: {}, objectSelector: {} };

each<
  [
    what: string,
    criteria: Partial<RequestCriteria>,
    request: TestAttributes,
    expected: string | undefined,
  ]
>([
  ["no rules mean everything", {}, inA, "v1 pods"],
  ["an empty list of rules means nothing", { rules: [] }, inA, undefined],
  ["a rule", { rules: [rule] }, inA, "v1 pods"],
  ["an excluded rule", { rules: [rule], excluded: [rule] }, inA, undefined],
  ["a name", { rules: [{ ...rule, resourceNames: ["b", "a"] }] }, inA, "v1 pods"],
  ["another name", { rules: [{ ...rule, resourceNames: ["b"] }] }, inA, undefined],
  [
    "another name that is excluded",
    { excluded: [{ ...rule, resourceNames: ["b"] }] },
    inA,
    "v1 pods",
  ],
  ["another version", { rules: [beta], matchPolicy: "Exact" }, claim, undefined],
  [
    "an equivalent version",
    { rules: [beta], matchPolicy: "Equivalent" },
    claim,
    "v1beta1 resourceclaims",
  ],
  [
    "the version of the request comes first",
    { rules: [beta, rule], matchPolicy: "Equivalent" },
    claim,
    "v1 resourceclaims",
  ],
  [
    "an excluded equivalent version",
    { excluded: [beta], matchPolicy: "Equivalent" },
    claim,
    undefined,
  ],
  [
    "a subresource without a rule",
    { rules: [{ ...rule, resources: ["*"] }] },
    scaleOfSet,
    undefined,
  ],
  ["a subresource", { rules: [rule] }, scaleOfSet, "v1 deployments"],
  ["labels of the object", a, labelled({ a: "1" }), "v1 pods"],
  ["other labels of the object", a, labelled({ a: "2" }), undefined],
  [
    "labels of the old object",
    a,
    { ...inA, operation: "UPDATE", old: { metadata: { labels: { a: "1" } } } },
    "v1 pods",
  ],
  [
    "labels of an object that is deleted",
    a,
    { ...labelled({ a: "1" }), operation: "DELETE", old: { metadata: {} } },
    undefined,
  ],
  [
    "options have no labels",
    a,
    { ...inA, operation: "CONNECT", subresource: "exec", more: { metadata: undefined } },
    undefined,
  ],
  ["labels of the namespace", nameOfA, inA, "v1 pods"],
  [
    "other labels of the namespace",
    { namespaceSelector: { matchLabels: { b: "1" } } },
    inA,
    undefined,
  ],
  [
    "objects of the cluster are in no namespace",
    { namespaceSelector: { matchLabels: { b: "1" } } },
    { kind: "Node", address: { namespace: "" } },
    "v1 nodes",
  ],
  [
    "a new namespace has its own labels",
    { namespaceSelector: { matchLabels: { b: "1" } } },
    { ...namespaces, metadata: { labels: { b: "1" } } },
    "v1 namespaces",
  ],
  [
    "a namespace that is deleted has those that are stored",
    { namespaceSelector: { matchLabels: { b: "1" } } },
    { ...namespaces, operation: "DELETE", metadata: { labels: { b: "1" } } },
    undefined,
  ],
])("requestMatcher: %s", async (_, criteria, request, expected) => {
  const matches = requestMatcher(parts, { ...everything, ...criteria });
  // The second call has what the first one cached.
  for (let i = 0; i < 2; i++) {
    const kind = await matches(attributes(request));
    expect(kind && `${kind.version} ${kind.plural}`).toBe(expected);
  }
});

test("requestMatcher: a namespace that does not exist is an error only for what is meant otherwise", async () => {
  const criteria = { ...everything, ...nameOfA };
  const request = attributes({ address: { namespace: "b" } });
  await expect(requestMatcher(parts, criteria)(request)).rejects.toThrow(
    'namespaces "b" not found',
  );
  expect(requestMatcher(parts, { ...criteria, rules: [] })(request)).toBe(undefined);
  expect(requestMatcher(parts, { ...criteria, ...a })(request)).toBe(undefined);
});

test("isExempt: what configures admission is not subject to it", () => {
  const group = "admissionregistration.k8s.io";
  const at = (plural: string) => attributes({ address: { kind: kindAt(group, plural) } });
  expect(
    [
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
      "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
      "validatingwebhookconfigurations",
    ].map((plural) => isExempt(at(plural))),
  ).toEqual(Array.from({ length: 6 }, () => true));
  expect(isExempt(attributes({}))).toBe(false);
});
