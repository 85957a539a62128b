import { afterAll, beforeAll, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type CustomServer, openCustom, version } from "./custom.test-support.ts";

/** Schemas with the features that the definitions of well-known operators have. */
const text = { type: "string", maxLength: 100 };
const rule = (expression: string, message: string, more: object = {}) => ({
  rule: expression,
  message,
  ...more,
});
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** Routes: lists by keys that refer to each other, unions by a member, values that exclude each other. */
const route = object(
  {
    className: {
      ...text,
      "x-kubernetes-validations": [rule("self == oldSelf", "field is immutable")],
    },
    listeners: {
      type: "array",
      maxItems: 8,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: object(
        {
          name: text,
          port: { type: "integer", format: "int32", minimum: 1, maximum: 65535 },
          protocol: { type: "string", enum: ["HTTP", "TLS"], default: "HTTP" },
          certificate: text,
        },
        {
          required: ["name", "port"],
          "x-kubernetes-validations": [
            rule("self.protocol == 'TLS' || !has(self.certificate)", "only TLS has a certificate", {
              fieldPath: ".certificate",
              reason: "FieldValueForbidden",
            }),
          ],
        },
      ),
      "x-kubernetes-validations": [
        rule("self.all(a, self.exists_one(b, a.port == b.port))", "ports must be unique"),
      ],
    },
    timeouts: object(
      {
        request: { ...text, format: "duration" },
        backend: { ...text, format: "duration" },
      },
      {
        "x-kubernetes-validations": [
          {
            rule: "!has(self.request) || !has(self.backend) || self.backend <= self.request",
            messageExpression: "'%s is longer than %s'.format([self.backend, self.request])",
          },
        ],
      },
    ),
    filter: object(
      { type: { type: "string", enum: ["Redirect", "Rewrite"] }, redirect: object({ to: text }) },
      {
        required: ["type"],
        "x-kubernetes-validations": [
          rule("(self.type == 'Redirect') == has(self.redirect)", "redirect goes with its type"),
        ],
      },
    ),
  },
  { required: ["className"] },
);

/** Policies: free values, embedded objects, selectors with maps, schemas of which exactly one holds. */
const policy = object(
  {
    values: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [
        rule("self.kind == 'Job' && self.metadata.name != ''", "must be a named Job"),
      ],
    },
    budget: {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-validations": [
        rule("type(self) == int ? self >= 0 : self.endsWith('%')", "a count or a percentage"),
      ],
    },
    labels: {
      type: "object",
      maxProperties: 5,
      additionalProperties: text,
      "x-kubernetes-map-type": "granular",
      "x-kubernetes-validations": [
        rule("self.all(k, !k.startsWith('internal/'))", "no internal labels"),
        rule("oldSelf.all(k, k in self)", "labels stay"),
      ],
    },
    quota: {
      ...text,
      "x-kubernetes-validations": [
        rule(
          "isQuantity(self) && quantity(self).isGreaterThan(quantity('0'))",
          "more than nothing",
        ),
      ],
    },
    since: { ...text, format: "date-time" },
    first: object({ a: text }),
    second: object({ b: text }),
  },
  {
    oneOf: [{ required: ["first"] }, { required: ["second"] }],
    "x-kubernetes-validations": [
      rule("!has(self.since) || self.since > timestamp('2020-01-01T00:00:00Z')", "too early"),
      rule("has(oldSelf.quota) == has(self.quota)", "quota comes with the object"),
    ],
  },
);

let custom: CustomServer;
const names = { routes: "Route", policies: "Policy" } as const;
beforeAll(async () => {
  custom = await openCustom();
  for (const [plural, spec] of [
    ["routes", route],
    ["policies", policy],
  ] as const)
    await custom.define({
      names: { plural, kind: names[plural] },
      versions: [
        version({
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: object({
              spec,
              status: object(
                {
                  step: { type: "integer" },
                },
                {
                  "x-kubernetes-validations": [
                    rule("self.step >= oldSelf.step", "steps only forward"),
                  ],
                },
              ),
            }),
          },
        }),
      ],
    });
});
afterAll(() => custom.close());

type Plural = keyof typeof names;
const path = (plural: Plural) => `/apis/g.io/v1/namespaces/default/${plural}`;
const create = (plural: Plural, spec: object, name = "a", query = "?dryRun=All") =>
  custom.ask({
    method: "POST",
    path: `${path(plural)}${query}`,
    body: { apiVersion: "g.io/v1", kind: names[plural], metadata: { name }, spec },
  });
const patch = (plural: Plural, what: string, body: object) =>
  custom.ask({
    method: "PATCH",
    path: `${path(plural)}/${what}`,
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });

const first = { first: { a: "x" } };
each<[what: string, plural: Plural, spec: object, causes: readonly string[] | undefined]>([
  ["a route", "routes", { className: "c", listeners: [{ name: "a", port: 80 }] }, undefined],
  [
    "two listeners of a port",
    "routes",
    {
      className: "c",
      listeners: [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    },
    ["spec.listeners: Invalid value: ports must be unique"],
  ],
  [
    "a certificate where a default says that there is none",
    "routes",
    { className: "c", listeners: [{ name: "a", port: 80, certificate: "x" }] },
    ["spec.listeners[0].certificate: Forbidden: only TLS has a certificate"],
  ],
  [
    "a timeout in a longer one",
    "routes",
    { className: "c", timeouts: { request: "90s", backend: "2m" } },
    ["spec.timeouts: Invalid value: 120s is longer than 90s"],
  ],
  [
    "a union without its member",
    "routes",
    { className: "c", filter: { type: "Redirect" } },
    ["spec.filter: Invalid value: redirect goes with its type"],
  ],
  [
    "a value of a wrong type, which keeps rules from being asked",
    "routes",
    { className: 1, filter: { type: "Redirect" } },
    [
      'spec.className: Invalid value: "integer": spec.className in body must be of type string: "integer"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ],
  ],
  [
    "a policy",
    "policies",
    {
      ...first,
      values: { any: [{ thing: 1 }] },
      template: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { x: 1 } },
      budget: "50%",
      labels: { "a/b": "c" },
      quota: "1Gi",
      since: "2026-01-01T00:00:00Z",
    },
    undefined,
  ],
  ["a count", "policies", { ...first, budget: 0 }, undefined],
  [
    "values that are wrong in a way that only expressions tell",
    "policies",
    {
      ...first,
      template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
      budget: "50",
      labels: { "internal/a": "" },
      quota: "0",
      since: "2019-12-31T23:59:59Z",
    },
    [
      "spec: Invalid value: too early",
      'spec.budget: Invalid value: "50": a count or a percentage',
      "spec.labels: Invalid value: no internal labels",
      'spec.quota: Invalid value: "0": more than nothing',
      "spec.template: Invalid value: must be a named Job",
    ],
  ],
  [
    "both of what excludes each other",
    "policies",
    { ...first, second: { b: "y" } },
    [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
])("common shapes: %s", async (_, plural, spec, causes) => {
  const { status, body } = await create(plural, spec);
  expect(status).toBe(causes ? 422 : 201);
  const told = body.details?.causes?.map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  );
  expect(told?.sort()).toEqual(causes && [...causes].sort());
});

test("common shapes: what must not change, is asked of every way to change it", async () => {
  await create("routes", { className: "c" }, "kept", "");
  const immutable =
    'Route.g.io "kept" is invalid: spec.className: Invalid value: "d": field is immutable';
  const changed = { spec: { className: "d" } };
  expect((await patch("routes", "kept", changed)).body.message).toBe(immutable);
  const applied = await custom.ask({
    method: "PATCH",
    path: `${path("routes")}/kept?fieldManager=m&force=true`,
    headers: { "content-type": "application/apply-patch+yaml" },
    body: { apiVersion: "g.io/v1", kind: "Route", ...changed },
  });
  expect(applied.body.message).toBe(immutable);
  expect((await patch("routes", "kept", { spec: { timeouts: { request: "1s" } } })).status).toBe(
    200,
  );
});

test("common shapes: keys stay, and what was not there at first never is", async () => {
  await create("policies", { ...first, labels: { a: "1" } }, "kept", "");
  const told = async (spec: object) => (await patch("policies", "kept", { spec })).body.message;
  expect(await told({ labels: { a: null, b: "2" } })).toBe(
    'Policy.g.io "kept" is invalid: spec.labels: Invalid value: labels stay',
  );
  expect(await told({ quota: "1" })).toBe(
    'Policy.g.io "kept" is invalid: spec: Invalid value: quota comes with the object',
  );
  expect(await told({ labels: { b: "2" } })).toBe(undefined);
});

test("common shapes: rules of the status are asked when it is written", async () => {
  await create("routes", { className: "c" }, "running", "");
  const step = (at: number) => patch("routes", "running/status", { status: { step: at } });
  expect((await step(2)).status).toBe(200);
  expect((await step(1)).body.message).toBe(
    'Route.g.io "running" is invalid: status: Invalid value: steps only forward',
  );
  expect((await step(3)).status).toBe(200);
});

test("common shapes: rules are asked when a scale is written, and selectors see what changed", async () => {
  const replicas = {
    type: "integer",
    "x-kubernetes-validations": [
      rule("self <= 3", "at most three"),
      rule("self >= oldSelf", "never fewer"),
    ],
  };
  await custom.define({
    names: { plural: "pools", kind: "Pool" },
    versions: [
      version({
        selectableFields: [{ jsonPath: ".spec.color" }],
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: object({
            spec: object({ color: text, replicas }),
            status: object({ replicas: { type: "integer" } }),
          }),
        },
      }),
    ],
  });
  const pools = "/apis/g.io/v1/namespaces/default/pools";
  const change = (path: string, spec: object) =>
    custom.ask({
      method: "PATCH",
      path: `${pools}/${path}`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec },
    });
  const created = await custom.ask({
    method: "POST",
    path: pools,
    body: {
      apiVersion: "g.io/v1",
      kind: "Pool",
      metadata: { name: "a" },
      spec: { color: "red", replicas: 2 },
    },
  });
  const told = async (count: number) =>
    (await change("a/scale", { replicas: count })).body.message as string | undefined;
  expect(await told(5)).toContain("spec.replicas: Invalid value: 5: at most three");
  expect(await told(1)).toContain("spec.replicas: Invalid value: 1: never fewer");
  expect(await told(3)).toBe(undefined);
  await change("a", { color: "blue" });
  const red = `${pools}?fieldSelector=spec.color%3Dred`;
  expect((await custom.ask({ path: red })).body.items).toEqual([]);
  expect((await custom.ask({ path: red.replace("red", "blue") })).body.items).toHaveLength(1);
  expect(created.status).toBe(201);
});
