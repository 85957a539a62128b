import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { JsonSchema } from "./json-schema.ts";
import { pruneNulls, pruneResource } from "./prune.ts";

const keeps = { "x-kubernetes-preserve-unknown-fields": true } as const;
const text: JsonSchema = { type: "string" };
const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

each<[rule: string, schema: JsonSchema | undefined, value: object, left: object, gone: string[]]>([
  [
    "what is not named goes, in order of its path",
    object({ spec: object({ a: text }) }),
    { spec: { z: 1, a: "x", b: { c: 1 } }, other: 1 },
    { spec: { a: "x" } },
    ["other", "spec.b", "spec.z"],
  ],
  [
    "kind, version and metadata of the object stay",
    object({}),
    { kind: "K", apiVersion: "v", metadata: { odd: 1 }, spec: {} },
    { kind: "K", apiVersion: "v", metadata: { odd: 1 } },
    ["spec"],
  ],
  ["without a schema nothing is named", undefined, { kind: "K", a: 1 }, { kind: "K" }, ["a"]],
  [
    "items are looked at",
    object({ list: { type: "array", items: object({ a: text }) } }),
    { list: [{ a: "x", b: 1 }, { c: [1] }] },
    { list: [{ a: "x" }, {}] },
    ["list[0].b", "list[1].c"],
  ],
  [
    "members that have no name of their own have their schema",
    object({ map: { type: "object", additionalProperties: object({ a: text }) } }),
    { map: { x: { a: "1", b: 1 } } },
    { map: { x: { a: "1" } } },
    ["map.x.b"],
  ],
  [
    "that there may be others says nothing of what is in them",
    object({ map: { type: "object", additionalProperties: true } }),
    { map: { x: { a: "1" }, y: 1, z: [{ b: 1 }] } },
    { map: { x: {}, y: 1, z: [{}] } },
    ["map.x.a", "map.z[0].b"],
  ],
  [
    "what keeps unknown members keeps them at any depth, but not within what is named",
    object({ free: object({ known: object({ a: text }) }, keeps) }),
    { free: { any: { thing: [{ b: 1 }] }, known: { a: "x", c: 1 } } },
    { free: { any: { thing: [{ b: 1 }] }, known: { a: "x" } } },
    ["free.known.c"],
  ],
  [
    "the root may keep unknown members",
    { type: "object", ...keeps },
    { spec: { a: 1 }, b: 2 },
    { spec: { a: 1 }, b: 2 },
    [],
  ],
  [
    "objects within keep what every object has",
    object({ template: object({}, { "x-kubernetes-embedded-resource": true }) }),
    { template: { kind: "K", metadata: { name: "n" }, spec: 1 } },
    { template: { kind: "K", metadata: { name: "n" } } },
    ["template.spec"],
  ],
  [
    "what has the name of a prototype is a member",
    object({}),
    JSON.parse('{"__proto__":{"a":1}}'),
    {},
    ["__proto__"],
  ],
])("pruneResource: %s", (_, schema, value, left, gone) => {
  const pruned = structuredClone(value);
  expect([pruneResource(pruned, schema), pruned]).toEqual([gone, left]);
});

each<[rule: string, schema: JsonSchema, value: object, left: object]>([
  ["null goes where it is not allowed", object({ a: text }), { a: null, b: null }, { b: null }],
  [
    "null stays where it is",
    object({ a: { type: "string", nullable: true } }),
    { a: null },
    { a: null },
  ],
  [
    "null stays where a default is to come",
    object({ a: { type: "string", default: "x" } }),
    { a: null },
    { a: null },
  ],
  [
    "items stay, members of them go",
    object({ a: { type: "array", items: object({ b: text }) } }),
    { a: [null, { b: null }] },
    { a: [null, {}] },
  ],
  ["members without a name, too", { additionalProperties: text }, { a: null, b: "x" }, { b: "x" }],
])("pruneNulls: %s", (_, schema, value, left) => {
  const pruned = structuredClone(value);
  pruneNulls(pruned, schema);
  expect(pruned).toEqual(left);
});
