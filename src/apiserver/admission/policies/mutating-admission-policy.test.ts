import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
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

const apply = (expression: string) => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
/** A mutation that appends a letter to the member `x` of the data. */
const append = (letter: string) => apply(`Object{data: {'x': object.data.x + '${letter}'}}`);

async function enforce(name: string, spec: object, binding: object = {}): Promise<void> {
  const matchConstraints = { ...forConfigMaps, resourceRules: onWrite(forConfigMaps) };
  await server.register("mutatingadmissionpolicies", name, {
    matchConstraints,
    reinvocationPolicy: "Never",
    ...spec,
  });
  await bind(name, name, binding);
}

/** Mutating policies cannot name deletions. */
const onWrite = ({ resourceRules }: typeof forConfigMaps) =>
  resourceRules.map((rule) => ({ ...rule, operations: ["CREATE", "UPDATE"] }));

const bind = (name: string, policyName: string, binding: object = {}): Promise<void> =>
  server.register("mutatingadmissionpolicybindings", name, { policyName, ...binding });

const empty = configMap("a", { data: { x: "" } });

/** The data of a config map that was created, or the error. */
async function outcome(object: object = empty): Promise<unknown> {
  const { body } = await server.ask({ method: "POST", path: configMaps, body: object });
  return body.kind === "Status" ? body.message : body.data;
}

test("policies run in the order of their names, by each binding, and see what those before them did", async () => {
  await enforce("q", { mutations: [append("q"), append("r")] });
  await enforce("p", { mutations: [append("p")] });
  await bind("a", "p");
  expect(await outcome()).toEqual({ x: "ppqr" });
});

test("policies that ask for it run again in the second run, once, after all mutations", async () => {
  await enforce("p", { mutations: [append("p")], reinvocationPolicy: "IfNeeded" });
  await enforce("q", { mutations: [append("q")] });
  await enforce("r", { mutations: [append("r")], reinvocationPolicy: "IfNeeded" });
  expect(await outcome()).toEqual({ x: "pqrpr" });
});

test("all faults are in the error, whose message and reason are the first one's", async () => {
  await enforce("p", { mutations: [apply("Object{data: {'x': object.data.y}}")] });
  await enforce("q", { mutations: [patch("[JSONPatch{op: 'bogus', path: '/a'}]"), append("q")] });
  await enforce(
    "r",
    { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, mutations: [append("r")] },
    { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
  );
  const { body } = await server.ask({ method: "POST", path: configMaps, body: empty });
  const by = (policy: string) => `policy '${policy}' with binding '${policy}' denied request: `;
  const [unbound, ...faults] = [
    `${by("r")}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    `${by("p")}expression 'Object{data: {'x': object.data.y}}' resulted in error: no such key: y`,
    `${by("q")}JSON Patch: Unexpected kind: bogus`,
  ].map((message) => ({ message }));
  expect(body).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: unbound?.message,
    reason: "Forbidden",
    details: { name: "a", kind: "configmaps", causes: [unbound, ...faults] },
    code: 403,
  });
});

test("a fault that is ignored ends one mutation, and the next are made", async () => {
  await enforce("p", {
    failurePolicy: "Ignore",
    mutations: [append("p"), apply("Object{data: {'x': object.data.y}}"), append("q")],
  });
  expect(await outcome()).toEqual({ x: "pq" });
});

test("an object that cannot be decoded is an internal error, though faults are ignored", async () => {
  const wrong = "[JSONPatch{op: 'add', path: '/data', value: {'x': 5}}]";
  await enforce("p", { failurePolicy: "Ignore", mutations: [patch(wrong)] });
  expect(await outcome()).toBe(
    "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
  );
});

test("a policy whose parameters are of no known kind is at fault", async () => {
  const paramKind = { apiVersion: "example.com/v1", kind: "Line" };
  await enforce(
    "p",
    { paramKind, mutations: [append("p")] },
    { paramRef: { name: "l", parameterNotFoundAction: "Allow" } },
  );
  expect(await outcome()).toBe(
    `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Line'`,
  );
});

const settings = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
each<[what: string, paramRef: object, expected: unknown]>([
  ["by name", { name: "one", parameterNotFoundAction: "Deny" }, { x: "1" }],
  [
    "by labels, each in turn",
    { selector: { matchLabels: { set: "a" } }, parameterNotFoundAction: "Deny" },
    { x: "12" },
  ],
  ["that need not be there", { name: "none", parameterNotFoundAction: "Allow" }, { x: "" }],
])("parameters %s", async (_, paramRef, expected) => {
  for (const [name, n] of [
    ["one", "1"],
    ["two", "2"],
  ])
    await server.create(configMaps, {
      metadata: { name, labels: { set: "a" } },
      data: { n },
    });
  const mutations = [apply("Object{data: {'x': object.data.x + params.data.n}}")];
  await enforce("p", { ...settings, mutations }, { paramRef });
  expect(await outcome()).toEqual(expected);
});

each<[what: string, spec: object, expected: unknown]>([
  [
    "variables, which see the object as it is",
    {
      variables: [{ name: "size", expression: "has(object.data) ? object.data.size() : 0" }],
      mutations: [
        apply("Object{data: {'a': string(variables.size)}}"),
        apply("Object{data: {'b': string(variables.size)}}"),
      ],
    },
    { x: "", a: "1", b: "2" },
  ],
  [
    "the namespace, the request and rights",
    {
      mutations: [
        apply(
          "Object{data: {'x': namespaceObject.metadata.name + request.operation + string(authorizer.requestResource.check('get').allowed())}}",
        ),
      ],
    },
    { x: "defaultCREATEtrue" },
  ],
  [
    "a condition that is false",
    {
      matchConditions: [{ name: "c", expression: "object.metadata.name == 'b'" }],
      mutations: [append("p")],
    },
    { x: "" },
  ],
  [
    "a condition that cannot be evaluated, which is ignored",
    {
      failurePolicy: "Ignore",
      matchConditions: [{ name: "c", expression: "object.data.y == 'b'" }],
      mutations: [append("p")],
    },
    { x: "" },
  ],
])("mutations: %s", async (_, spec, expected) => {
  await enforce("p", spec);
  expect(await outcome()).toEqual(expected);
});

test("a policy changes the object in the version that its rule names", async () => {
  const rule = { operations: ["CREATE"], apiGroups: ["autoscaling"], resources: ["*"] };
  await enforce("p", {
    matchConstraints: { resourceRules: [{ ...rule, apiVersions: ["v2"] }] },
    mutations: [
      apply(
        "Object{spec: Object.spec{behavior: Object.spec.behavior{scaleDown: Object.spec.behavior.scaleDown{stabilizationWindowSeconds: 7}}}}",
      ),
      apply("Object{metadata: Object.metadata{annotations: {'seen': object.apiVersion}}}"),
    ],
  });
  await enforce("q", {
    matchConstraints: { resourceRules: [{ ...rule, apiVersions: ["v1"] }], matchPolicy: "Exact" },
    mutations: [apply("Object{spec: Object.spec{minReplicas: 2}}")],
  });
  const path = "/namespaces/default/horizontalpodautoscalers";
  await server.create(`/apis/autoscaling/v1${path}`, {
    metadata: { name: "a" },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: "Deployment", name: "b", apiVersion: "apps/v1" },
    },
  });
  const { body } = await server.ask({ path: `/apis/autoscaling/v2${path}/a` });
  expect(body.metadata.annotations).toEqual({ seen: "autoscaling/v2" });
  expect(body.spec).toMatchObject({
    minReplicas: 2,
    behavior: { scaleDown: { stabilizationWindowSeconds: 7 } },
  });
});

test("policies and reviews are exempt, and what changes nothing is not stored again", async () => {
  await enforce("p", { mutations: [apply("Object{data: {'x': '1'}}")] });
  await enforce("q", {
    matchConstraints: { ...forEverything, resourceRules: onWrite(forEverything) },
    mutations: [apply("Object{metadata: Object.metadata{labels: {'seen': 'q'}}}")],
  });
  const created = await server.create(configMaps, configMap("a"));
  expect(created.metadata.labels).toEqual({ seen: "q" });
  const replaced = await server.ask({
    method: "PUT",
    path: `${configMaps}/a`,
    body: configMap("a"),
  });
  expect(replaced.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  await bind("b", "q");
  const { body } = await server.ask({
    path: "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings/b",
  });
  expect(body.metadata.labels).toBe(undefined);
});

test("mutations are counted", async () => {
  await enforce("p", { mutations: [append("p"), apply("Object{data: {'x': object.x}}")] });
  await outcome();
  const text = server.server.metrics.all.text();
  expect(text.match(/^apiserver_mutating_admission_policy_check_total.*$/gm)).toEqual([
    'apiserver_mutating_admission_policy_check_total{error_type="invalid_error",policy="p",policy_binding="p"} 1',
    'apiserver_mutating_admission_policy_check_total{error_type="no_error",policy="p",policy_binding="p"} 1',
  ]);
});

test("custom objects are changed by their schema, and get the defaults of what was added", async () => {
  const inner = { d: { type: "string", default: "y" }, e: { type: "string" } };
  const properties = { n: { type: "integer" }, part: { type: "object", properties: inner } };
  await server.define({
    group: "example.com",
    scope: "Cluster",
    names: { plural: "lines", singular: "line", kind: "Line", listKind: "LineList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
        },
      },
    ],
  });
  const rule = { operations: ["CREATE"], apiGroups: ["example.com"], resources: ["*"] };
  const matchConstraints = { resourceRules: [{ ...rule, apiVersions: ["*"] }] };
  const mutate = (name: string, expression: string) =>
    enforce(name, { matchConstraints, mutations: [apply(expression)] });
  const line = { apiVersion: "example.com/v1", kind: "Line", spec: { n: 1 } };
  const path = "/apis/example.com/v1/lines";
  await mutate("a", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}");
  await mutate("b", "Object{spec: Object.spec{n: 5, part: Object.spec.part{e: 'z'}}}");
  const created = await server.create(path, { ...line, metadata: { name: "l" } });
  expect(created.metadata.labels).toEqual({ a: "b" });
  expect(created.spec).toEqual({ n: 5, part: { d: "y", e: "z" } });
  await mutate("c", "Object{spec: Object.spec{n: 'x'}}");
  const { body } = await server.ask({
    method: "POST",
    path,
    body: { ...line, metadata: { name: "m" } },
  });
  expect(body.message).toBe(
    "policy 'c' with binding 'c' denied request: error applying patch: failed to convert patch object to typed object: .spec.n: expected numeric (int or float), got string",
  );
});
