import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { definitionOf, version } from "./custom.test-support.ts";
import { openApiSchemas } from "./open-api-schema.ts";
import { schemaForV2 } from "./schema-for-v2.ts";

const names = { plural: "gears", singular: "gear", kind: "Gear", listKind: "GearList" };
function schemas(openAPIV3Schema: object, openApi: 2 | 3, more: object = {}) {
  const given = version({ schema: { openAPIV3Schema }, ...more });
  const { spec } = definitionOf({ names, versions: [given] });
  return openApiSchemas({ spec } as never, given as never, openApi) as Record<
    string,
    { readonly required?: string[]; readonly properties: Record<string, unknown> }
  >;
}
const gvk = [{ group: "g.io", version: "v1", kind: "Gear" }];
const ref = (where: string) => ({
  $ref: `${where}/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`,
});

test("an object has the metadata of all objects, and its kind", () => {
  const schema = { type: "object", required: ["spec"], properties: { spec: { type: "string" } } };
  const { "io.g.v1.Gear": gear } = schemas(schema, 3, {
    selectableFields: [{ jsonPath: ".spec" }],
  });
  expect(gear).toEqual({
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string", description: expect.any(String) },
      kind: { type: "string", description: expect.any(String) },
      metadata: { description: expect.any(String), allOf: [ref("#/components/schemas")] },
      spec: { type: "string" },
    },
    "x-kubernetes-group-version-kind": gvk,
    "x-kubernetes-selectable-fields": [{ fieldPath: "spec" }],
  });
});

test("a list holds objects", () => {
  const { "io.g.v1.GearList": list } = schemas({ type: "object" }, 2);
  expect([list?.required, list?.properties.items]).toEqual([
    ["items"],
    {
      description: expect.any(String),
      type: "array",
      items: { $ref: "#/definitions/io.g.v1.Gear" },
    },
  ]);
});

each<[what: string, property: object, openApi: 2 | 3, written: object]>([
  [
    "a whole number or a text has alternatives",
    { "x-kubernetes-int-or-string": true },
    3,
    { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
  ],
  [
    "an object within has metadata",
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    3,
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      required: ["kind", "apiVersion"],
      properties: {
        apiVersion: { type: "string", description: expect.any(String) },
        kind: { type: "string", description: expect.any(String) },
        metadata: { description: expect.any(String), allOf: [ref("#/components/schemas")] },
      },
    },
  ],
  [
    "in OpenAPI 2 not where there may be other members",
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    2,
    { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  ],
])("%s", (_, property, openApi, written) => {
  const { "io.g.v1.Gear": gear } = schemas(
    { type: "object", properties: { a: property } },
    openApi,
  );
  expect(gear?.properties.a).toEqual(written);
});

test("clients of OpenAPI 2 are told nothing of objects that may have any members", () => {
  const open = {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { a: { type: "string" } },
  };
  expect(schemas(open, 2)["io.g.v1.Gear"]).toEqual({
    type: "object",
    "x-kubernetes-group-version-kind": gvk,
  });
});

each<[what: string, schema: JsonSchema, written: JsonSchema]>([
  [
    "junctors and defaults are left out",
    { type: "integer", default: 1, anyOf: [{}], not: {} },
    { type: "integer" },
  ],
  ["what may be null has no type", { type: "object", nullable: true, properties: { a: {} } }, {}],
  [
    "and is not required",
    { type: "object", required: ["a", "b"], properties: { a: { nullable: true }, b: {} } },
    { type: "object", required: ["b"], properties: { a: {}, b: {} } },
  ],
  [
    "a list whose items are unknown has no type",
    { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: {} },
    { "x-kubernetes-preserve-unknown-fields": true },
  ],
  [
    "at any depth",
    {
      type: "array",
      items: { type: "object", additionalProperties: { type: "string", default: "x" } },
    },
    { type: "array", items: { type: "object", additionalProperties: { type: "string" } } },
  ],
])("schemaForV2: %s", (_, schema, written) => {
  expect(schemaForV2(schema)).toEqual(written);
});
