import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Answer } from "../../custom/custom.test-support.ts";
import {
  configMap,
  configMaps,
  forConfigMaps,
  forEverything,
  openPolicies,
  type PolicyServer,
} from "./policy-server.test-support.ts";

let server: PolicyServer;
beforeEach(async () => {
  server = await openPolicies();
});
afterEach(() => server.close());

/** Puts a policy into force. */
async function enforce(name: string, spec: object, binding: object = {}): Promise<void> {
  await server.register("validatingadmissionpolicies", name, {
    matchConstraints: forConfigMaps,
    ...spec,
  });
  await bind(name, name, binding);
}

const bind = (name: string, policyName: string, binding: object = {}): Promise<void> =>
  server.register("validatingadmissionpolicybindings", name, {
    policyName,
    validationActions: ["Deny"],
    ...binding,
  });

const post = (path: string, body: object): Promise<Answer> =>
  server.ask({ method: "POST", path, body });

/** Why a config map is rejected, without what every rejection says; or its status. */
async function outcome(object: object = configMap("a")): Promise<unknown> {
  const { status, body } = await post(configMaps, object);
  return body.kind === "Status"
    ? body.message.replace(/^configmaps "\w+" is forbidden: /, "")
    : status;
}

const costly = ["a", "b", "c", "d"].reduceRight(
  (inner, name) => `variables.l.all(${name}, ${inner})`,
  "[0, 1, 2, 3, 4].all(e, a + b + c + d + e >= 0)",
);
const never = { validations: [{ expression: "false" }] };
const by = (policy: string, binding = policy) =>
  `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: `;

test("a policy takes effect with its binding, and ends with it", async () => {
  await server.register("validatingadmissionpolicies", "p", {
    matchConstraints: forConfigMaps,
    ...never,
  });
  expect(await outcome()).toBe(201);
  await bind("b", "p");
  expect(await outcome(configMap("c"))).toBe(`${by("p", "b")}failed expression: false`);
  await server.ask({
    method: "DELETE",
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/b",
  });
  expect(await outcome(configMap("c"))).toBe(201);
});

test("a policy that is changed is compiled again", async () => {
  await enforce("p", never);
  expect(await outcome()).toBe(`${by("p")}failed expression: false`);
  await enforce("p", { validations: [{ expression: "object.metadata.name != 'a'" }] });
  expect(await outcome()).toBe(`${by("p")}failed expression: object.metadata.name != 'a'`);
  expect(await outcome(configMap("b"))).toBe(201);
});

test("the first denial in the order of names is reported, with its reason", async () => {
  await enforce("q", { validations: [{ expression: "false", reason: "Forbidden" }] });
  await enforce("p", {
    validations: [
      { expression: "true" },
      { expression: "1 == 2", message: " no ", reason: "RequestEntityTooLarge" },
      { expression: "false" },
    ],
  });
  await bind("a", "p");
  const { status, body } = await post(configMaps, configMap("a"));
  const message = `${by("p", "a")}no`;
  expect(status).toBe(413);
  expect(body).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `configmaps "a" is forbidden: ${message}`,
    reason: "RequestEntityTooLarge",
    details: { name: "a", kind: "configmaps", causes: [{ message }] },
    code: 413,
  });
});

test("warnings are sent for each failed validation, and nothing is denied", async () => {
  const validations = [
    { expression: "false", message: "one" },
    { expression: "object.data.x == '1'", message: "two" },
  ];
  await enforce("p", { validations }, { validationActions: ["Warn", "Audit"] });
  const { status, headers } = await post(configMaps, configMap("a"));
  expect(status).toBe(201);
  const failed = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': ";
  expect(headers.warning).toEqual([
    `299 - "${failed}one"`,
    `299 - "${failed}expression 'object.data.x == '1'' resulted in error: no such key: data"`,
  ]);
});

each<[what: string, spec: object, object: object, expected: unknown]>([
  [
    "a message that is computed",
    { validations: [{ expression: "false", messageExpression: "' not ' + object.metadata.name" }] },
    {},
    `${by("p")}not a`,
  ],
  [
    "a message of several lines, which does not count",
    { validations: [{ expression: "false", messageExpression: "'a\\nb'", message: "plain" }] },
    {},
    `${by("p")}plain`,
  ],
  [
    "a message that is too long",
    {
      validations: [
        { expression: "false", messageExpression: "object.data.x + 'b'", message: "plain" },
      ],
    },
    { data: { x: "a".repeat(5120) } },
    `${by("p")}plain`,
  ],
  [
    "a message of the greatest length",
    { validations: [{ expression: "false", messageExpression: "string(object.data.x)" }] },
    { data: { x: "a".repeat(5120) } },
    `${by("p")}${"a".repeat(5120)}`,
  ],
  [
    "variables that need each other",
    {
      variables: [
        { name: "size", expression: "has(object.data) ? object.data.size() : 0" },
        { name: "isOdd", expression: "variables.size % 2 == 1" },
      ],
      validations: [{ expression: "variables.isOdd", messageExpression: "string(variables.size)" }],
    },
    {},
    `${by("p")}0`,
  ],
  [
    "rights in a message, which knows none",
    {
      variables: [{ name: "may", expression: "authorizer.path('/a').check('get').allowed()" }],
      validations: [
        { expression: "!variables.may", messageExpression: "string(variables.may)", message: "m" },
      ],
    },
    {},
    `${by("p")}m`,
  ],
  [
    "the namespace",
    { validations: [{ expression: "namespaceObject.metadata.name == 'other'", message: "m" }] },
    {},
    `${by("p")}m`,
  ],
  [
    "more than all validations may cost",
    {
      variables: [{ name: "l", expression: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]" }],
      validations: Array.from({ length: 25 }, () => ({ expression: costly })),
    },
    {},
    `${by("p")}validation failed due to running out of cost budget, no further validation rules will be run`,
  ],
  [
    "a condition that is false",
    { ...never, matchConditions: [{ name: "c", expression: "object.metadata.name != 'a'" }] },
    {},
    201,
  ],
  [
    "an annotation that cannot be computed",
    { auditAnnotations: [{ key: "k", valueExpression: "string(object.data.x)" }] },
    {},
    `${by("p")}expression 'string(object.data.x)' resulted in error: no such key: data`,
  ],
  [
    "an annotation that cannot be computed, which is ignored",
    {
      auditAnnotations: [{ key: "k", valueExpression: "string(object.data.x)" }],
      failurePolicy: "Ignore",
    },
    {},
    201,
  ],
  [
    "another resource",
    {
      ...never,
      matchConstraints: { ...forEverything, excludeResourceRules: forConfigMaps.resourceRules },
    },
    {},
    201,
  ],
])("validations: %s", async (_, spec, object, expected) => {
  await enforce("p", spec);
  expect(await outcome(configMap("a", object))).toBe(expected);
});

const settings = { apiVersion: "v1", kind: "ConfigMap" };
const atMost = {
  paramKind: settings,
  validations: [
    {
      expression: "params == null || object.data.size() <= int(params.data.max)",
      messageExpression: "'at most ' + params.data.max + ' as ' + params.metadata.name",
    },
  ],
};
const deny = { parameterNotFoundAction: "Deny" };
const limit = (name: string, max: string, more: object = {}) => ({
  ...configMap(name, { data: { max } }),
  metadata: { name, ...more },
});
const failed = (why: string) => `${by("p")}failed to configure binding: ${why}`;
const notFound = failed("no params found for policy binding with `Deny` parameterNotFoundAction");

each<[what: string, paramRef: object | undefined, expected: unknown]>([
  ["that a binding does not name", undefined, 201],
  ["by name", { name: "two", ...deny }, 201],
  [
    "by name in another namespace",
    { name: "one", namespace: "other", ...deny },
    `${by("p")}at most 0 as one`,
  ],
  [
    "by name, of the namespace of the request",
    { name: "one", ...deny },
    `${by("p")}at most 1 as one`,
  ],
  ["by name, which are not there", { name: "none", ...deny }, notFound],
  ["by name, which need not be there", { name: "none", parameterNotFoundAction: "Allow" }, 201],
  [
    "by labels: all count, the first failure is reported",
    { selector: { matchLabels: { limits: "a" } }, ...deny },
    `${by("p")}at most 1 as one`,
  ],
  ["by labels that none has", { selector: { matchLabels: { limits: "b" } }, ...deny }, notFound],
  [
    "by labels that none has and none must have",
    { selector: { matchLabels: { limits: "b" } }, parameterNotFoundAction: "Allow" },
    201,
  ],
])("parameters: %s", async (_, paramRef, expected) => {
  await server.create("/api/v1/namespaces", { metadata: { name: "other" } });
  await server.create(configMaps, limit("two", "2", { labels: { limits: "a" } }));
  await server.create(configMaps, limit("one", "1", { labels: { limits: "a" } }));
  await server.create("/api/v1/namespaces/other/configmaps", limit("one", "0"));
  await enforce("p", atMost, { paramRef });
  expect(await outcome(configMap("a", { data: { x: "", y: "" } }))).toBe(expected);
});

const lines = {
  group: "example.com",
  scope: "Cluster",
  names: { plural: "lines", singular: "line", kind: "Line", listKind: "LineList" },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: "object", properties: { max: { type: "integer" } } },
      },
    },
  ],
};

test("parameters of a custom kind: as soon as it is served, and as soon as they change", async () => {
  await enforce(
    "p",
    {
      paramKind: { apiVersion: "example.com/v1", kind: "Line" },
      validations: [{ expression: "object.data.size() <= params.max" }],
    },
    { paramRef: { name: "l", ...deny } },
  );
  const object = configMap("a", { data: { x: "" } });
  expect(await outcome(object)).toBe(
    "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Line'",
  );
  await server.define(lines);
  expect(await outcome(object)).toBe(notFound);
  const line = { apiVersion: "example.com/v1", kind: "Line", metadata: { name: "l" } };
  const path = "/apis/example.com/v1/lines";
  await server.create(path, { ...line, max: 0 });
  expect(await outcome(object)).toBe(
    `${by("p")}failed expression: object.data.size() <= params.max`,
  );
  await server.ask({
    method: "PATCH",
    path: `${path}/l`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { max: 1 },
  });
  expect(await outcome(object)).toBe(201);
});

test("parameters in a namespace need one, and those of the cluster have none", async () => {
  const matchConstraints = {
    resourceRules: [
      { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["nodes"] },
    ],
  };
  await enforce("p", { ...atMost, matchConstraints }, { paramRef: { name: "one", ...deny } });
  const { body } = await post("/api/v1/nodes", { metadata: { name: "n" } });
  expect(body.message).toContain(
    failed(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    ),
  );
  const paramKind = { apiVersion: "v1", kind: "Node" };
  await enforce(
    "p",
    { ...atMost, paramKind },
    { paramRef: { name: "n", namespace: "x", ...deny } },
  );
  expect(await outcome()).toBe(
    failed("paramRef.namespace must not be provided for a cluster-scoped `paramKind`"),
  );
});

test("policies and reviews are exempt, webhook configurations are not", async () => {
  await enforce("p", { ...never, matchConstraints: forEverything });
  await enforce("q", never);
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  const reviewed = await post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    ...review,
    spec: { nonResourceAttributes: { path: "/", verb: "get" } },
  });
  expect(reviewed.status).toBe(201);
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  expect((await post(path, { metadata: { name: "w" } })).body.message).toBe(
    `validatingwebhookconfigurations.admissionregistration.k8s.io "w" is forbidden: ${by("p")}failed expression: false`,
  );
});

test("a policy sees the object in the version that its rule names", async () => {
  const matchConstraints = {
    resourceRules: [
      {
        operations: ["CREATE"],
        apiGroups: ["autoscaling"],
        apiVersions: ["v2"],
        resources: ["horizontalpodautoscalers"],
      },
    ],
  };
  const seen = "object.apiVersion + ' ' + request.kind.version + ' ' + request.requestKind.version";
  const validations = [{ expression: "!has(object.spec.metrics)", messageExpression: seen }];
  await enforce("p", { matchConstraints, validations });
  const { body } = await post("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", {
    metadata: { name: "a" },
    spec: {
      maxReplicas: 2,
      targetCPUUtilizationPercentage: 50,
      scaleTargetRef: { kind: "Deployment", name: "b", apiVersion: "apps/v1" },
    },
  });
  expect(body.message).toContain(`${by("p")}autoscaling/v2 v2 v1`);
});

test("checks that end otherwise than well are counted", async () => {
  await enforce("p", { validations: [{ expression: "true" }, { expression: "false" }] });
  await enforce("q", { validations: [{ expression: "object.x == 1" }], failurePolicy: "Ignore" });
  await outcome();
  const text = server.server.metrics.all.text();
  expect(text.match(/^apiserver_validating_admission_policy_check_total.*$/gm)).toEqual([
    'apiserver_validating_admission_policy_check_total{enforcement_action="allow",error_type="invalid_error",policy="q",policy_binding="q"} 1',
    'apiserver_validating_admission_policy_check_total{enforcement_action="deny",error_type="invalid_error",policy="p",policy_binding="p"} 1',
  ]);
});
