import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { At } from "../language/report.ts";
import { Correlated } from "./correlated.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateValueUpdate } from "./validate-value.ts";

const small: JsonSchema = { type: "integer", maximum: 5 };
const item: JsonSchema = { type: "object", properties: { name: { type: "string" }, n: small } };
const schema: JsonSchema = {
  type: "object",
  properties: {
    n: small,
    inner: { type: "object", required: ["must"], properties: { n: small, must: {} } },
    byKeys: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: item,
    },
    plain: { type: "array", items: small },
    map: { type: "object", additionalProperties: small },
    kind: { type: "string", maxLength: 2 },
  },
};
const tooBig = (path: string, value: number) =>
  `${path}: Invalid value: ${value}: ${path} in body should be less than or equal to 5`;

each<[rule: string, old: object, value: object, errors: string[]]>([
  ["what was wrong before may stay", { n: 9 }, { n: 9 }, []],
  ["what becomes wrong may not", { n: 1 }, { n: 9 }, [tooBig("n", 9)]],
  ["what stays wrong in another way may not", { n: 9 }, { n: 8 }, [tooBig("n", 8)]],
  ["what comes new is looked at", {}, { n: 9 }, [tooBig("n", 9)]],
  [
    "an object that changes is looked at, but not what stays in it",
    { inner: { n: 9, must: 1 } },
    { inner: { n: 9 } },
    ["inner.must: Required value"],
  ],
  ["an object that stays is not looked at", { inner: { n: 9 } }, { inner: { n: 9 }, n: 1 }, []],
  [
    "items are found by their keys",
    { byKeys: [{ name: "a", n: 9 }, { name: "b" }] },
    {
      byKeys: [
        { name: "b", n: 7 },
        { name: "a", n: 9 },
      ],
    },
    [tooBig("byKeys[0].n", 7)],
  ],
  [
    "items of other lists are not: a list that changes is looked at as a whole",
    { plain: [9] },
    { plain: [9, 1] },
    [tooBig("plain[0]", 9)],
  ],
  ["a list that stays is not", { plain: [9] }, { plain: [9], n: 1 }, []],
  ["members without a name are found by it", { map: { a: 9, b: 1 } }, { map: { a: 9, b: 2 } }, []],
  [
    "a kind was never another's",
    { kind: "Gear", n: 1 },
    { kind: "Gear", n: 2 },
    ["kind: Too long: may not be more than 2 bytes"],
  ],
])("validateValueUpdate: %s", (_, old, value, errors) => {
  const at = At.root();
  const correlated = new Correlated(value, old, schema);
  validateValueUpdate({ schema, correlated }, value, at);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});
