import { expect, test } from "vitest";
import {
  bytes,
  int32,
  intOrString,
  list,
  listOf,
  mapOf,
  message,
  named,
  quantity,
  string,
  stringMap,
  strings,
  time,
  value,
} from "../language/field.ts";
import { type Struct, struct } from "../language/struct.ts";
import { namedString, quantityType } from "../language/type.ts";
import { reachableStructs, type Schema, schemasOf, structSchema } from "./openapi.ts";

const Port = struct("test.v1.Port", {
  name: string(1).always().expected(),
  number: int32(2),
}).doc("A port.");
const Selector = struct("test.v1.Selector", { labels: stringMap(1) }).atomic();

const one = (field: Parameters<typeof struct>[1][string], version: 2 | 3): Schema => {
  const { properties } = structSchema(struct("test.v1.One", { field }), version, []);
  return (properties as Record<string, Schema>).field as Schema;
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";

test.each([
  ["a string that may be absent has no default", string(1), { type: "string" }],
  [
    "a field that is always written has its zero value as default",
    int32(1).always(),
    { type: "integer", format: "int32", default: 0 },
  ],
  ["a pointer has no default", int32(1).pointer(), { type: "integer", format: "int32" }],
  ["bytes have a format and no default", bytes(1).always(), { type: "string", format: "byte" }],
  [
    "a struct that may be absent is referred to in an allOf",
    message(1, Port).doc("P."),
    { description: "P.", allOf: [ref("test.v1.Port")] },
  ],
  [
    "a struct that is always there defaults to an empty one",
    value(1, Port),
    { allOf: [ref("test.v1.Port")], default: {} },
  ],
  [
    "items are struct values and default to empty ones",
    list(1, Port).keyedBy("name"),
    {
      type: "array",
      items: { allOf: [ref("test.v1.Port")], default: {} },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    },
  ],
  [
    "a set of strings says so",
    strings(1).set(),
    {
      type: "array",
      items: { type: "string", default: "" },
      "x-kubernetes-list-type": "set",
    },
  ],
  [
    "values of a map that have a schema of their own are referred to",
    mapOf(1, quantityType),
    { type: "object", additionalProperties: ref(quantityName) },
  ],
  [
    "a map that is replaced as a whole is atomic",
    stringMap(1).atomic(),
    {
      type: "object",
      additionalProperties: { type: "string", default: "" },
      "x-kubernetes-map-type": "atomic",
    },
  ],
  [
    "the values of a closed type are listed in order",
    named(1, "v1.Protocol").known("TCP", "SCTP"),
    { type: "string", enum: ["SCTP", "TCP"] },
  ],
  [
    "the values of an open type are not",
    named(1, "v1.ConditionStatus").known("True", "False"),
    { type: "string" },
  ],
  [
    "the values of a list's items stand with the items",
    listOf(1, namedString("v1.IPFamily")).known("IPv6", "IPv4"),
    { type: "array", items: { type: "string", enum: ["IPv4", "IPv6"], default: "" } },
  ],
] as const)("structSchema, OpenAPI 3: %s", (_, field, schema) => {
  expect(one(field, 3)).toEqual(schema);
});

test.each([
  ["no defaults", int32(1).always(), { type: "integer", format: "int32" }],
  [
    "references beside descriptions",
    value(1, Port).doc("P."),
    { description: "P.", $ref: "#/definitions/test.v1.Port" },
  ],
  [
    "items that are references",
    list(1, Port),
    { type: "array", items: { $ref: "#/definitions/test.v1.Port" } },
  ],
] as const)("structSchema, OpenAPI 2: %s", (_, field, schema) => {
  expect(one(field, 2)).toEqual(schema);
});

test("structSchema: required fields, kinds and atomicity stand with the struct", () => {
  const gvk = { group: "test", kind: "Port", version: "v1" };
  expect([structSchema(Port, 3, [gvk]), structSchema(Selector, 2, [])]).toEqual([
    {
      description: "A port.",
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", default: "" },
        number: { type: "integer", format: "int32" },
      },
      "x-kubernetes-group-version-kind": [gvk],
    },
    {
      type: "object",
      properties: { labels: { type: "object", additionalProperties: { type: "string" } } },
      "x-kubernetes-map-type": "atomic",
    },
  ]);
});

test("schemasOf: everything that is held is there once, by name", () => {
  const root = struct("test.v1.Root", {
    ports: list(1, Port),
    amount: quantity(2),
    at: time(3),
    target: intOrString(4),
  });
  const schemas = schemasOf([root, Port], 3, () => []);
  expect(Object.keys(schemas)).toEqual([
    quantityName,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "test.v1.Port",
    "test.v1.Root",
  ]);
  expect(schemas[quantityName]).toMatchObject({ oneOf: [{ type: "string" }, { type: "number" }] });
});

test("reachableStructs: structs may name themselves", () => {
  const Tree: Struct = struct("test.v1.Tree", { left: message(1, () => Tree) });
  expect([...reachableStructs([Tree]).keys()]).toEqual(["test.v1.Tree"]);
});
