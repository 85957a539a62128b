import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { At } from "../language/report.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateValue } from "./validate-value.ts";

const errorsOf = (schema: JsonSchema, value: unknown): readonly string[] => {
  const at = At.root();
  validateValue(schema, value, at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

each<[rule: string, schema: JsonSchema, value: unknown, errors: string[]]>([
  ["a whole number is a number", { type: "number" }, 1, []],
  [
    "a number is no whole one",
    { type: "integer" },
    1.5,
    [
      '<nil>: Invalid value: "number":  in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in ',
    ],
  ],
  [
    "a whole number that only a bigint holds is compared exactly",
    { type: "integer", format: "int64", minimum: 9007199254740992 },
    9007199254740993n,
    [],
  ],
  [
    "a bigint may be too large",
    { type: "integer", maximum: 10, multipleOf: 2 },
    9007199254740993n,
    [
      "<nil>: Invalid value: 9007199254740993:  in body should be a multiple of 2",
      "<nil>: Invalid value: 9007199254740993:  in body should be less than or equal to 10",
    ],
  ],
  [
    "an integer of more than 64 bits is a number with a fraction",
    { type: "integer" },
    2 ** 64,
    [
      '<nil>: Invalid value: "number":  in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in ',
    ],
  ],
  [
    "null is of no type",
    { type: "string" },
    null,
    ['<nil>: Invalid value: "null":  in body must be of type string: "null"'],
  ],
  ["null may be allowed", { type: "string", nullable: true }, null, []],
  [
    "members are looked at, and required ones are there",
    { type: "object", required: ["b"], properties: { a: { type: "string" } } },
    { a: 1 },
    [
      'a: Invalid value: "integer": a in body must be of type string: "integer"',
      "b: Required value",
    ],
  ],
  [
    "items are looked at",
    { type: "array", maxItems: 1, items: { type: "string", maxLength: 2 } },
    ["abc", "é"],
    ["[0]: Too long: may not be more than 2 bytes", "<nil>: Too many: 2: must have at most 1 item"],
  ],
  [
    "a list is long enough",
    { type: "array", minItems: 2, items: {} },
    [1],
    ["<nil>: Invalid value: 1:  in body should have at least 2 items"],
  ],
  [
    "other members are looked at, or unwanted",
    {
      properties: {
        a: { additionalProperties: { type: "integer" } },
        b: { additionalProperties: false },
      },
    },
    { a: { x: "y" }, b: { z: 1 } },
    [
      'a.x: Invalid value: "string": a.x in body must be of type integer: "string"',
      'b: Invalid value: "z": b.z in body is a forbidden property',
    ],
  ],
  [
    "a text is long enough, then matches",
    { properties: { a: { minLength: 3, pattern: "^x" }, b: { pattern: "^x" } } },
    { a: "y", b: "y" },
    [
      'a: Invalid value: "y": a in body should be at least 3 chars long',
      "b: Invalid value: \"y\": b in body should match '^x'",
    ],
  ],
  [
    "bounds may be excluded",
    { minimum: 1, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    1,
    [
      "<nil>: Invalid value: 1:  in body should be greater than 1",
      "<nil>: Invalid value: 1:  in body should be less than 1",
    ],
  ],
  [
    "bounds of numbers are shown as Go does",
    { type: "number", maximum: 1e6 },
    2.5e6 + 0.5,
    ["<nil>: Invalid value: 2500000.5:  in body should be less than or equal to 1e+06"],
  ],
  ["a multiple", { multipleOf: 0.1 }, 0.3, []],
  [
    "no multiple",
    { multipleOf: 2 },
    3,
    ["<nil>: Invalid value: 3:  in body should be a multiple of 2"],
  ],
  [
    "a format of whole numbers bounds them",
    { type: "integer", format: "int32" },
    2 ** 31,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in '],
  ],
  [
    "one of the values",
    { enum: ["a", 1] },
    "b",
    ['<nil>: Unsupported value: "b": supported values: "a", "1"'],
  ],
  ["objects are compared as a whole", { enum: [{ a: [1] }] }, { a: [1] }, []],
  [
    "any of schemas: what fits best is told",
    { anyOf: [{ type: "string" }, { type: "object", required: ["a"] }] },
    {},
    ['<nil>: Invalid value: "": "" must validate at least one schema (anyOf)', "a: Required value"],
  ],
  [
    "one of schemas",
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    [
      '<nil>: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
  [
    "all schemas",
    { allOf: [{ minimum: 1 }, { minimum: 5 }] },
    3,
    [
      "<nil>: Invalid value: 3:  in body should be greater than or equal to 5",
      '<nil>: Invalid value: "": "" must validate all the schemas (allOf)',
    ],
  ],
  [
    "not a schema",
    { not: { minimum: 1 } },
    3,
    ['<nil>: Invalid value: "": "" must not validate the schema (not)'],
  ],
  [
    "a format is met",
    { type: "string", format: "ipv4" },
    "1.2.3",
    ['<nil>: Invalid value: "1.2.3":  in body must be of type ipv4: "1.2.3"'],
  ],
  ["a format that is not known says nothing", { type: "string", format: "odd" }, "x", []],
])("validateValue: %s", (_, schema, value, errors) => {
  expect(errorsOf(schema, value)).toEqual(errors);
});
