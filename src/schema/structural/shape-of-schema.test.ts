import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { deducedShape, type Shape, untypedShape } from "../language/shape.ts";
import type { JsonSchema } from "./json-schema.ts";
import { resourceShape, shapeOfSchema } from "./shape-of-schema.ts";

const metadata: Shape = { map: { isAtomic: false, fields: new Map(), items: undefined } };
const options = { metadata, preservesUnknown: false };
const keeps = { "x-kubernetes-preserve-unknown-fields": true } as const;
const map = (more: Partial<NonNullable<Shape["map"]>>): Shape => ({
  map: { isAtomic: false, fields: new Map(), items: undefined, ...more },
});
const fields = (of: Record<string, Shape>) =>
  new Map(Object.entries(of).map(([name, shape]) => [name, { shape, preset: undefined }]));
const string: Shape = { scalar: "string" };

each<[rule: string, schema: JsonSchema, shape: Shape]>([
  ["texts", { type: "string" }, string],
  ["texts that are bytes", { type: "string", format: "byte" }, string],
  ["texts of any other format", { type: "string", format: "date-time" }, { scalar: "untyped" }],
  ["numbers", { type: "integer" }, { scalar: "numeric" }],
  ["truth values", { type: "boolean" }, { scalar: "boolean" }],
  [
    "a whole number or a text is anything, by its form",
    { "x-kubernetes-int-or-string": true },
    {
      scalar: "untyped",
      list: { kind: "atomic", keys: [], items: untypedShape },
      ...map({ items: deducedShape }),
    },
  ],
  [
    "an object of which nothing is named may have any members",
    { type: "object" },
    map({ items: deducedShape }),
  ],
  [
    "one of which something is may not",
    { type: "object", properties: { a: { type: "string" } } },
    map({ fields: fields({ a: string }) }),
  ],
  [
    "unless it keeps unknown members, which what it holds does, too",
    {
      type: "object",
      ...keeps,
      properties: { a: { type: "object", properties: { b: { type: "string" } } } },
    },
    map({
      fields: fields({ a: map({ fields: fields({ b: string }), items: deducedShape }) }),
      items: deducedShape,
    }),
  ],
  [
    "members without a name have their schema",
    { type: "object", additionalProperties: { type: "string" } },
    map({ items: string }),
  ],
  [
    "members without a name may be anything",
    { type: "object", additionalProperties: true },
    map({ items: deducedShape }),
  ],
  ["there may be none", { type: "object", additionalProperties: false }, map({})],
  [
    "an object may be a whole",
    { type: "object", "x-kubernetes-map-type": "atomic" },
    map({ isAtomic: true, items: deducedShape }),
  ],
  [
    "a list is a whole",
    { type: "array", items: { type: "string" } },
    { list: { kind: "atomic", keys: [], items: string } },
  ],
  [
    "a set",
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    { list: { kind: "set", keys: [], items: string } },
  ],
  [
    "a list by keys",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { type: "object" },
    },
    { list: { kind: "map", keys: ["a"], items: map({ items: deducedShape }) } },
  ],
])("shapeOfSchema: %s", (_, schema, shape) => {
  expect(shapeOfSchema(schema, options)).toEqual(shape);
});

test("shapeOfSchema: a field has the default of its schema", () => {
  const shape = shapeOfSchema(
    { type: "object", properties: { a: { type: "integer", default: 80 } } },
    options,
  );
  expect(shape.map?.fields.get("a")).toEqual({ shape: { scalar: "numeric" }, preset: 80 });
});

test("resourceShape: an object has kind, version and the metadata that all have", () => {
  const schema = {
    type: "object",
    properties: { metadata: { type: "object" }, spec: { type: "string" } },
  };
  expect(resourceShape(schema, options)).toEqual(
    map({
      fields: new Map([
        ["metadata", { shape: metadata }],
        ["spec", { shape: string, preset: undefined }],
        ["apiVersion", { shape: string }],
        ["kind", { shape: string }],
      ]),
    }),
  );
});

test("resourceShape: without a schema it may have anything", () => {
  expect(resourceShape(undefined, options)).toEqual(map({ items: deducedShape }));
});

each<[why: string, schema: JsonSchema]>([
  ["a list without items", { type: "array" }],
  ["a list by no keys", { type: "array", "x-kubernetes-list-type": "map", items: {} }],
  ["a type that there is not", { type: "text" }],
])("resourceShape: %s is nothing that apply can use", (_, a) => {
  expect(resourceShape({ type: "object", properties: { a } }, options)).toBe(undefined);
});
