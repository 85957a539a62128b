import { expect, expectTypeOf, test } from "vitest";
import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { CustomResourceDefinition as definitions } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { Client } from "../../client/client.ts";
import { At } from "../../schema/language/report.ts";
import { Widget } from "../widget.test-support.ts";
import { struct } from "./containers.ts";
import { kind } from "./kind.ts";
import { int32, string } from "./scalars.ts";

// These functions are never called: only the type checker looks at them.
const typed = (...checks: ((client: Client) => unknown)[]): void => {
  expect(checks.length).toBeGreaterThan(0);
};

test("types: an object has what is required and what has a default", () => {
  typed(async (client) => {
    const widget = await client.get(Widget, { name: "a" });
    expectTypeOf(widget).toExtend<Widget>();
    expectTypeOf(widget.metadata).toEqualTypeOf<ObjectMeta>();
    expectTypeOf(widget.spec.size).toEqualTypeOf<number>();
    expectTypeOf(widget.spec.color).toEqualTypeOf<"red" | "green">();
    expectTypeOf(widget.spec.paused).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(widget.spec.memory).toEqualTypeOf<string | number | undefined>();
    expectTypeOf(widget.spec.ports?.[0]?.protocol).toEqualTypeOf<"TCP" | "UDP" | undefined>();
    expectTypeOf(widget.spec.labels).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
    expectTypeOf(widget.spec.parts?.a?.weight).toEqualTypeOf<number | undefined>();
    expectTypeOf(widget.status?.conditions?.[0]?.reason).toEqualTypeOf<string | undefined>();
  });
});

test("types: what a client writes must have what is required", () => {
  typed(
    (client) => client.create(Widget, { metadata: { name: "a" }, spec: { color: "red" } }),
    // @ts-expect-error: the color is required
    (client) => client.create(Widget, { metadata: { name: "a" }, spec: {} }),
    // @ts-expect-error: the spec is required
    (client) => client.create(Widget, { metadata: { name: "a" } }),
    (client) =>
      client.create(Widget, {
        metadata: { name: "a" },
        // @ts-expect-error: there is no such color
        spec: { color: "blue" },
      }),
    (client) =>
      client.create(Widget, {
        metadata: { name: "a" },
        // @ts-expect-error: there is no such member
        spec: { color: "red", sise: 3 },
      }),
    (client) => client.patch(Widget, { name: "a" }, { merge: { spec: { parts: null } } }),
    // @ts-expect-error: a default is a value of the type
    () => string().values("a", "b").default("c"),
    // @ts-expect-error: a number has no pattern
    () => int32().pattern("a"),
  );
});

test("kind: the manifest is one that a server accepts as it is", () => {
  const draft = definitions.form.decodeValue(Widget.definition, () =>
    JSON.stringify(Widget.definition),
  );
  definitions.form.complete(draft.value);
  const at = At.root();
  definitions.validateCreate(draft.value as CustomResourceDefinition, at);
  expect({ strict: draft.strict, errors: at.errors }).toEqual({ strict: [], errors: [] });
});

test("kind: the manifest has all that is declared, and nothing else", () => {
  expect(Widget.definition.spec.versions[0]).toEqual({
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: Widget.schema },
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.readySize" },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    selectableFields: [{ jsonPath: ".spec.color" }],
  });
  expect(Widget.schema.properties?.spec?.properties).toMatchObject({
    size: { type: "integer", format: "int32", minimum: 1, maximum: 10, default: 3 },
    color: { type: "string", enum: ["red", "green"] },
    name: {
      pattern: "^[a-z]+$",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "field is immutable" }],
    },
    ports: {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { required: ["name", "port"] },
    },
    parts: { nullable: true },
  });
  expect(Widget.schema.properties?.spec).toMatchObject({
    required: ["color"],
    "x-kubernetes-validations": [{ rule: "self.size < 9 || self.color == 'red'" }],
  });
});

const names = {
  group: "example.com",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Cluster",
} as const;
const old = kind({ ...names, version: "v1beta1", deprecated: "use v1", fields: {} });

test("kind: other versions are in the manifest of the one that is stored", () => {
  const conversion = {
    service: { namespace: "default", name: "gadgets" },
    caBundle: "Zm9v",
  };
  const Gadget = kind({ ...names, version: "v1", fields: {}, otherVersions: [old], conversion });
  expect(
    Gadget.definition.spec.versions.map(({ name, storage, deprecationWarning }) => [
      name,
      storage,
      deprecationWarning,
    ]),
  ).toEqual([
    ["v1", true, undefined],
    ["v1beta1", false, "use v1"],
  ]);
  expect(Gadget.definition.spec.conversion).toEqual({
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { service: { namespace: "default", name: "gadgets" }, caBundle: "Zm9v" },
    },
  });
});

test("kind: other versions are of the same resource", () => {
  expect(() =>
    kind({ ...names, scope: "Namespaced", version: "v1", fields: {}, otherVersions: [old] }),
  ).toThrow("Gadget v1beta1 is no other version of Gadget: its scope is Cluster, not Namespaced");
});

test("properties: never change, so that parts can be shared", () => {
  const name = string().max(5);
  const [a, b] = [name.doc("A."), name.doc("B.").required()];
  expect(struct({ a, b, name }).schema).toEqual({
    type: "object",
    required: ["b"],
    properties: {
      a: { type: "string", maxLength: 5, description: "A." },
      b: { type: "string", maxLength: 5, description: "B." },
      name: { type: "string", maxLength: 5 },
    },
  });
});
