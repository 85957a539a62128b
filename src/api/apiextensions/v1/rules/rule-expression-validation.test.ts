import { expect, test } from "vitest";
import { createErrors, updateErrors, version } from "../definition.test-support.ts";
import type { JSONSchemaProps } from "../json-schema-props.ts";

const rules = (...all: (string | object)[]) => ({
  "x-kubernetes-validations": all.map((rule) =>
    typeof rule === "string" ? { rule } : rule,
  ) as never,
});
const text = { type: "string" };
const number = { type: "integer" };

const changesFor = (spec: JSONSchemaProps, root: object = {}) => ({
  spec: {
    versions: [
      version({ schema: { openAPIV3Schema: { type: "object", properties: { spec }, ...root } } }),
    ],
  },
});

/** What is wrong with the rules of a spec: without its path, the rule, and all but the first line. */
function faultsOf(spec: JSONSchemaProps, root: object = {}): string[] {
  return createErrors(changesFor(spec, root)).map((error) =>
    (error.split("\n")[0] ?? "")
      .replace("spec.validation.openAPIV3Schema.", "")
      .replace(/Invalid value: \{"Rule".*?\}: /, "")
      .replace("ERROR: <input>:", ""),
  );
}

const object = (properties: Record<string, JSONSchemaProps>, ...all: (string | object)[]) => ({
  type: "object",
  properties,
  ...rules(...all),
});
const undefinedField = (name: string, column = 5) =>
  `properties[spec].x-kubernetes-validations[0].rule: compilation failed: 1:${column}: undefined field '${name}'`;

test.each<[rule: string, spec: JSONSchemaProps, faults: string[]]>([
  ["numbers are numbers", object({ a: number }, "self.a + 1 > 0"), []],
  ["strings are strings", object({ a: text }, "self.a.startsWith('x')"), []],
  [
    "other strings have types of their own",
    object(
      {
        d: { type: "string", format: "duration" },
        t: { type: "string", format: "date-time" },
        b: { type: "string", format: "byte" },
      },
      "self.d < duration('1h') && self.t < timestamp(0) && self.b == b'x'",
    ),
    [],
  ],
  [
    "a number or string can be anything",
    object({ a: { "x-kubernetes-int-or-string": true } }, "self.a == 1 || self.a == 'x'"),
    [],
  ],
  [
    "lists have elements",
    object(
      { a: { type: "array", maxItems: 5, items: { ...text, maxLength: 5 } } },
      "self.a.all(x, x != '')",
    ),
    [],
  ],
  [
    "maps have keys",
    object(
      { a: { type: "object", maxProperties: 5, additionalProperties: number } },
      "self.a['x'] == 1 && 'x' in self.a",
    ),
    [],
  ],
  ["objects have fields", object({ a: object({ b: number }) }, "self.a.b == 1"), []],
  ["a field that is not declared", object({ a: number }, "self.b == 1"), [undefinedField("b")]],
  [
    "a field of an object without fields",
    { type: "object", ...rules("self.a == 1") },
    [undefinedField("a")],
  ],
  [
    "a field without a type is not seen",
    object({ a: { "x-kubernetes-preserve-unknown-fields": true } }, "has(self.a)"),
    [undefinedField("a", 4)],
  ],
  [
    "names are escaped",
    object(
      { "a-b": number, "c.d": number, __e: number },
      "self.a__dash__b + self.c__dot__d + self.__underscores__e == 1",
    ),
    [],
  ],
  [
    "words of the language are too, or not",
    object({ namespace: text, if: text }, "self.namespace == self.__if__"),
    [],
  ],
  [
    "a name that cannot be written is not seen",
    object({ $ref: number }, "self.ref == 1"),
    [undefinedField("ref")],
  ],
  [
    "an embedded resource has a name",
    {
      ...object({ a: text }, "self.metadata.name != '' && self.kind != ''"),
      "x-kubernetes-embedded-resource": true,
    } as never,
    [],
  ],
  [
    "a rule must be true or false",
    object({ a: number }, "self.a"),
    ["properties[spec].x-kubernetes-validations[0].rule: cel expression must evaluate to a bool"],
  ],
  [
    "a constant that cannot be converted",
    object({ a: number }, "self.a == int('x')"),
    [
      "properties[spec].x-kubernetes-validations[0].rule: program instantiation failed: type conversion error from 'string' to 'int'",
    ],
  ],
  [
    "a message",
    object(
      { a: { ...text, maxLength: 9 } },
      { rule: "self.a != ''", messageExpression: "'is ' + self.a" },
    ),
    [],
  ],
  [
    "a message that does not compile",
    object({ a: number }, { rule: "self.a > 1", messageExpression: "self.b" }),
    [
      "properties[spec].x-kubernetes-validations[0].messageExpression: messageExpression compilation failed: 1:5: undefined field 'b'",
    ],
  ],
  [
    "a message that is no string",
    object({ a: number }, { rule: "self.a > 1", messageExpression: "self.a" }),
    [
      "properties[spec].x-kubernetes-validations[0].messageExpression: messageExpression must evaluate to a string",
    ],
  ],
  ["the old value", object({ a: number }, "self.a >= oldSelf.a"), []],
  [
    "the old value may be missing",
    object({ a: number }, { rule: "self.a >= oldSelf.a.orValue(1)", optionalOldSelf: true }),
    [],
  ],
  [
    "the old value that may be missing is no value",
    object({ a: number }, { rule: "self.a >= oldSelf.a", optionalOldSelf: true }),
    [
      "properties[spec].x-kubernetes-validations[0].rule: compilation failed: 1:8: found no matching overload for '_>=_' applied to '(int, optional_type(int))'",
      "properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ],
  ],
  [
    "an old value that is not used",
    object({ a: number }, { rule: "true", optionalOldSelf: false }),
    [
      "properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule",
    ],
  ],
  [
    "items of a list have no old value",
    object({
      a: { type: "array", maxItems: 2, items: object({ b: number }, "self.b == oldSelf.b") },
    }),
    [
      'properties[spec].properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self.b == oldSelf.b": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[a]',
    ],
  ],
  [
    "items with keys have one",
    object({
      a: {
        type: "array",
        maxItems: 2,
        items: { ...object({ b: number }, "self.b == oldSelf.b"), required: ["b"] },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      },
    }),
    [],
  ],
  [
    "rules of rules of rules",
    object({ a: object({ b: { ...number, ...rules("self > 0") } }, "self.b > 1") }, "self.a.b > 2"),
    [],
  ],
])("x-kubernetes-validations: %s", (_, spec, faults) => {
  expect(faultsOf(spec)).toEqual(faults);
});

test("x-kubernetes-validations: the root is a resource with a name", () => {
  const root = rules("self.metadata.name != '' && self.spec.a == 1", "self.metadata.uid == ''");
  expect(faultsOf(object({ a: number }), root)).toEqual([
    "x-kubernetes-validations[1].rule: compilation failed: 1:14: undefined field 'uid'",
  ]);
});

test("x-kubernetes-validations: rules of a schema that is wrong otherwise are not compiled", () => {
  expect(faultsOf({ ...object({ a: { type: "nope" } }, "self.b") })).toHaveLength(1);
});

const costly = { type: "array", items: text, ...rules("self.all(x, self.all(y, x == y))") };
const hint =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

test("x-kubernetes-validations: a rule may not cost too much", () => {
  const rule = "properties[spec].properties[a].x-kubernetes-validations[0].rule";
  expect(faultsOf(object({ a: costly }))).toEqual([
    `${rule}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
    `${rule}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
  ]);
  const bounded = { ...costly, maxItems: 100, items: { ...text, maxLength: 10 } };
  expect(faultsOf(object({ a: bounded }))).toEqual([]);
});

test("x-kubernetes-validations: a rule costs for each value that there can be", () => {
  const each = { ...text, maxLength: 1000, ...rules("self.contains('aaaaaaaaaaaaaaaaaaaa')") };
  const rule = "properties[spec].properties[a].items.x-kubernetes-validations[0].rule";
  const list = (maxItems: number) => object({ a: { type: "array", maxItems, items: each } });
  expect(faultsOf(list(12_000))).toEqual([]);
  expect(faultsOf(list(13_000))).toEqual([
    `${rule}: Forbidden: estimated rule cost exceeds budget by factor of 1.041300x ${hint}`,
  ]);
  expect(faultsOf(list(40_000))).toEqual([
    `${rule}: Forbidden: estimated rule cost exceeds budget by factor of 3.2x ${hint}`,
  ]);
});

test("x-kubernetes-validations: an update that leaves the schema as it was leaves its costs too", () => {
  const each = { ...text, maxLength: 1000, ...rules("self.contains('aaaaaaaaaaaaaaaaaaaa')") };
  const spec = object({ a: { type: "array", maxItems: 40_000, items: each } });
  const changes = changesFor(spec);
  const status = { status: { storedVersions: ["v1"] } };
  expect(updateErrors({ ...changes, ...status }, { ...changes, ...status })).toEqual([]);
  expect(
    updateErrors({ ...changesFor(object({})), ...status }, { ...changes, ...status }),
  ).toHaveLength(1);
});
