import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { dynType } from "../checking/cel-type.ts";
import { baseEnvironment, extendEnvironment } from "../checking/environment.ts";
import { compile } from "../compile.ts";
import { plan } from "../evaluation/program.ts";
import { CelDuration, CelTimestamp, isError } from "../values/cel-value.ts";
import { showValue } from "../values/show-value.ts";
import { schemaValueReader } from "./schema-value.ts";

const integers: JsonSchema = { type: "array", items: { type: "integer" } };
const byName: JsonSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: {
    type: "object",
    properties: { name: { type: "string" }, port: { type: "integer" } },
  },
};
const bySeveral: JsonSchema = {
  ...byName,
  "x-kubernetes-list-map-keys": ["a", "b", "c", "d"],
  items: { type: "object", additionalProperties: { type: "string" } },
};
const set: JsonSchema = {
  type: "array",
  "x-kubernetes-list-type": "set",
  items: { type: "string" },
};
const lists: JsonSchema = { ...set, items: integers };

/** What an expression makes of two values of a schema. */
function evaluate(schema: JsonSchema, expression: string, a: unknown, b: unknown = null): string {
  const environment = extendEnvironment(baseEnvironment(), {
    variables: { a: dynType, b: dynType },
  });
  const checked = compile(environment, expression);
  if ("error" in checked) throw new Error(checked.error);
  const program = plan(checked);
  if ("error" in program) throw new Error(program.error);
  const read = schemaValueReader(schema);
  const result = program.evaluate((name) => read(name === "a" ? a : b));
  return "error" in result ? result.error : showValue(result.value);
}

each<[what: string, schema: JsonSchema, json: unknown, shown: string]>([
  ["a number of an integer", { type: "integer" }, 1.5, "invalid data, expected int, got float64"],
  ["a text of an integer", { type: "integer" }, "1", "invalid data, expected int, got string"],
  ["an integer beyond 2^53", { type: "integer" }, 9007199254740993n, "9007199254740993"],
  ["an integer of a number", { type: "number" }, 3, "3"],
  [
    "a list of a number",
    { type: "number" },
    [],
    "invalid data, expected float, got []interface {}",
  ],
  ["a number of a text", { type: "string" }, 1, "invalid data, expected string, got int64"],
  ["a text of a bool", { type: "boolean" }, "true", "invalid data, expected bool, got string"],
  [
    "a list of an object",
    { type: "object" },
    [],
    "invalid data, expected a map for the provided schema with type=object",
  ],
  [
    "an object of a list",
    integers,
    {},
    "invalid data, expected an array for the provided schema with type=array",
  ],
  [
    "a list without items",
    { type: "array" },
    [],
    "invalid array type, expected Items with a non-empty Schema",
  ],
  [
    "a list of an unknown type",
    { ...integers, "x-kubernetes-list-type": "odd" },
    [],
    "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got odd",
  ],
  ["null", { type: "string" }, null, "invalid data, got null for schema with nullable=false"],
  ["null where it may be", { type: "string", nullable: true }, null, "0"],
  ["an integer of either", { "x-kubernetes-int-or-string": true }, 3, "3"],
  ["a text of either", { "x-kubernetes-int-or-string": true }, "3", "3"],
  [
    "a number of either",
    { "x-kubernetes-int-or-string": true },
    1.5,
    "invalid data, expected XIntOrString value to be either a string or integer",
  ],
  [
    "no type",
    {},
    1,
    "invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ",
  ],
  [
    "a byte of the alphabet of base64 itself",
    { type: "string", format: "byte" },
    "+/+/",
    "Invalid byte formatted string +/+/: illegal base64 data at input byte 0",
  ],
  ["a byte of the alphabet of URLs", { type: "string", format: "byte" }, "-_-_", "[251 255 191]"],
  [
    "a time without a zone",
    { type: "string", format: "date-time" },
    "2026-01-02T03:04:05",
    "2026-01-02 03:04:05 +0000 UTC",
  ],
  [
    "a time in small letters",
    { type: "string", format: "date-time" },
    "2026-01-02t03:04:05z",
    'Invalid date-time formatted string 2026-01-02t03:04:05z: parsing time "2026-01-02t03:04:05z" as "2006-01-02T15:04:05": cannot parse "t03:04:05z" as "T"',
  ],
  [
    "no date",
    { type: "string", format: "date" },
    "2026-02-30",
    'Invalid date formatted string 2026-02-30: parsing time "2026-02-30": day out of range',
  ],
  [
    "no duration",
    { type: "string", format: "duration" },
    "soon",
    "Invalid duration soon: unable to parse soon as duration",
  ],
])("schemaValueReader: %s", (_, schema, json, shown) => {
  expect(showValue(schemaValueReader(schema)(json))).toBe(shown);
});

test("schemaValueReader: formats are values of other types", () => {
  const read = (format: string, text: string) =>
    schemaValueReader({ type: "string", format })(text);
  expect(read("duration", "2 days")).toEqual(new CelDuration(172_800_000_000_000n));
  expect(read("duration", "1h30m")).toEqual(new CelDuration(5_400_000_000_000n));
  expect(read("date", "1970-01-02")).toEqual(new CelTimestamp(86_400n, 0));
  expect(read("date-time", "1970-01-01T01:00:00.5+01:00")).toEqual(
    new CelTimestamp(0n, 500_000_000, 60),
  );
  expect(read("date-time", "")).toEqual(new CelTimestamp(0n, 0));
  expect(read("byte", "YWI=")).toEqual(new Uint8Array([97, 98]));
  expect(read("byte", "YQ\n==")).toEqual(new Uint8Array([97]));
  expect(read("password", "x")).toBe("x");
  expect(isError(read("byte", "YQ"))).toBe(true);
});

const named: JsonSchema = {
  type: "object",
  properties: {
    "a-b": { type: "string" },
    namespace: { type: "string" },
    n: { type: "integer", nullable: true },
    free: { "x-kubernetes-preserve-unknown-fields": true },
  },
};
const counts: JsonSchema = { type: "object", additionalProperties: { type: "integer" } };

each<[expression: string, schema: JsonSchema, a: unknown, b: unknown, shown: string]>([
  ["a.a__dash__b + a.__namespace__", named, { "a-b": "x", namespace: "y" }, null, "xy"],
  ["a.a__dot__b", named, { "a-b": "x" }, null, "no such key: a__dot__b"],
  ["has(a.n)", named, { n: null }, null, "false"],
  ["a.other", named, { other: 1 }, null, "no such key: other"],
  ["size(a)", named, { other: 1, n: 1 }, null, "2"],
  ["a[1]", named, {}, null, "no such overload"],
  ["a == b", named, { other: 1 }, { other: 1 }, "true"],
  ["a == b", named, { other: 1 }, { other: 2 }, "false"],
  ["a == b", named, { other: 1 }, { more: 1 }, "true"],
  ["a == b", named, { free: { x: [1] } }, { free: { x: [1] } }, "true"],
  ["a == b", named, { free: { x: [1] } }, { free: { x: [2] } }, "false"],
  ["a == 1", named, {}, null, "no such overload"],
  ["a.map(k, k)", counts, { "x-y": 1, z: 2 }, null, "[x-y, z]"],
  ["a['x-y'] + a.z", counts, { "x-y": 1, z: 2 }, null, "3"],
  ["'q' in a || 'z' in a", counts, { z: 2 }, null, "true"],
  ["a == b", counts, { z: 2 }, { z: 2 }, "true"],
  ["a + b", integers, [1, 2], [2], "[1, 2, 2]"],
  ["a + [3]", integers, [1], null, "[1, 3]"],
  ["(a + [1.5])[1]", integers, [1], null, "invalid data, expected int, got float64"],
  [
    "(a + [duration('1s')])[1]",
    integers,
    [1],
    null,
    "invalid data, expected int, got time.Duration",
  ],
  ["a == b", integers, [1, 2], [2, 1], "false"],
  ["a == 1", integers, [1], null, "no such overload"],
  ["a[1]", integers, [1], null, "index out of bounds: 1"],
  ["1 in a", integers, [1], null, "true"],
  ["optional.of(a).value() == [1]", integers, [1], null, "true"],
  ["a == b", set, ["x", "y"], ["y", "x"], "true"],
  ["a == ['y', 'x']", set, ["x", "y"], null, "true"],
  ["a == b", set, ["x", "y"], ["y", "z"], "false"],
  ["a + ['x', 'z', 'z']", set, ["x", "y"], null, "[x, y, z]"],
  ["a + 1", set, ["x"], null, "no such overload"],
  [
    "a == b",
    lists,
    [[1]],
    [[1]],
    "internal error: runtime error: hash of unhashable type []interface {}",
  ],
  ["a == b", byName, [{ name: "x" }, { name: "y" }], [{ name: "y" }, { name: "x" }], "true"],
  ["a == b", byName, [{ name: "x", port: 1 }], [{ name: "x", port: 2 }], "false"],
  ["a == b", byName, [{ name: "x" }], [{ name: "y" }], "false"],
  ["a == [1]", byName, [{ name: "x" }], null, "false"],
  [
    "(a + b).map(each, each.port)",
    byName,
    [
      { name: "x", port: 1 },
      { name: "y", port: 2 },
    ],
    [
      { name: "z", port: 3 },
      { name: "x", port: 4 },
    ],
    "[4, 2, 3]",
  ],
  ["a == b", bySeveral, [{ a: "1", d: "2" }], [{ a: "1", d: "2" }], "true"],
  ["a == b", bySeveral, [{ a: "1", d: "2" }], [{ a: "1", d: "3" }], "false"],
])("schema values: %s", (expression, schema, a, b, shown) => {
  expect(evaluate(schema, expression, a, b)).toBe(shown);
});
