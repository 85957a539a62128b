import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { At } from "../language/report.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateListTypes } from "./list-types.ts";

const set: JsonSchema = { type: "array", "x-kubernetes-list-type": "set", items: {} };
const byKeys = (...keys: string[]): JsonSchema => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { type: "object" },
});

each<[rule: string, schema: JsonSchema, value: unknown, errors: string[]]>([
  ["items of a set are unique", set, ["a", "b"], []],
  [
    "an item is told once, where it comes again",
    set,
    ["a", "a", "b", "a"],
    ['l[1]: Duplicate value: "a"'],
  ],
  ["numbers and texts differ", set, [1, "1", true, "true"], []],
  [
    "objects are the same in any order",
    set,
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    ['l[1]: Duplicate value: {"b":[2],"a":1}'],
  ],
  ["lists without a type may repeat", { type: "array", items: {} }, [1, 1], []],
  [
    "items are told apart by their keys",
    byKeys("name"),
    [
      { name: "a", v: 1 },
      { name: "a", v: 2 },
    ],
    ['l[1]: Duplicate value: {"name":"a"}'],
  ],
  [
    "a key that is absent is one",
    byKeys("name"),
    [{ v: 1 }, null, { name: "a" }],
    ["l[1]: Duplicate value: {}"],
  ],
  [
    "all keys count",
    byKeys("name", "port"),
    [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
      { name: "a", port: 1 },
    ],
    ['l[2]: Duplicate value: {"name":"a","port":1}'],
  ],
  [
    "only objects have keys",
    byKeys("name"),
    [{ name: "a" }, "x"],
    ['l[1]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
  [
    "lists within items are looked at",
    { type: "array", items: set },
    [[1, 1]],
    ["l[0][1]: Duplicate value: 1"],
  ],
  [
    "members are looked at",
    { properties: { a: set } },
    { a: [1, 1] },
    ["l.a[1]: Duplicate value: 1"],
  ],
  [
    "members without a name are looked at",
    { additionalProperties: set },
    { a: [1, 1] },
    ["l[a][1]: Duplicate value: 1"],
  ],
])("validateListTypes: %s", (_, schema, value, errors) => {
  const at = At.root();
  validateListTypes(value, schema, at.child("l"));
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});
