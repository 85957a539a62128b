import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { fillDefaults } from "./fill-defaults.ts";
import type { JsonSchema } from "./json-schema.ts";

const number = (preset: number): JsonSchema => ({ type: "integer", default: preset });

each<[rule: string, schema: JsonSchema | undefined, value: unknown, filled: unknown]>([
  [
    "what is absent is filled in, what is there stays",
    { properties: { a: number(1), b: number(2) } },
    { b: 0 },
    { a: 1, b: 0 },
  ],
  [
    "null counts as absent where it is not allowed",
    { properties: { a: number(1) } },
    { a: null },
    { a: 1 },
  ],
  [
    "null stays where it is allowed",
    { properties: { a: { ...number(1), nullable: true } } },
    { a: null },
    { a: null },
  ],
  [
    "a default of an object is completed itself",
    { properties: { o: { default: {}, properties: { a: number(1) } } } },
    {},
    { o: { a: 1 } },
  ],
  [
    "nothing is filled in where there is no object",
    { properties: { o: { properties: { a: number(1) } } } },
    {},
    {},
  ],
  [
    "items are completed",
    { items: { properties: { a: number(1) } } },
    [{}, { a: 2 }, "x"],
    [{ a: 1 }, { a: 2 }, "x"],
  ],
  ["items that are null become the default", { items: number(7) }, [null, 1], [7, 1]],
  ["items that are null stay without one", { items: { type: "string" } }, [null], [null]],
  [
    "members without a name are completed",
    { additionalProperties: { properties: { a: number(1) } } },
    { x: {} },
    { x: { a: 1 } },
  ],
  [
    "members without a name that are null become the default",
    { additionalProperties: number(7) },
    { x: null },
    { x: 7 },
  ],
  ["a default of null is none", { properties: { a: { default: null } } }, {}, {}],
  ["without a schema nothing happens", undefined, { a: null }, { a: null }],
])("fillDefaults: %s", (_, schema, value, filled) => {
  const draft = structuredClone(value);
  fillDefaults(draft, schema);
  expect(draft).toEqual(filled);
});

test("fillDefaults: objects do not share a default", () => {
  const schema: JsonSchema = { properties: { a: { default: { b: [1] } } } };
  const [one, two]: [{ a?: { b: number[] } }, { a?: { b: number[] } }] = [{}, {}];
  fillDefaults(one, schema);
  fillDefaults(two, schema);
  one.a?.b.push(2);
  expect(two.a?.b).toEqual([1]);
});
