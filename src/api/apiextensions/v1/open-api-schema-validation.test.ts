import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { validateOpenApiSchema } from "./open-api-schema-validation.ts";

const errorsOf = (schema: JSONSchemaProps): readonly string[] => {
  const at = At.root();
  validateOpenApiSchema(schema, at, {
    isRoot: true,
    requireValidType: true,
    requireAtomicSets: true,
    requireMapKeys: true,
  });
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const rule = (changes: object) => ({
  type: "object",
  properties: { a: { type: "string" } },
  "x-kubernetes-validations": [{ rule: "true", ...changes }],
});
const mapOf = (items: JSONSchemaProps | undefined, ...keys: string[]): JSONSchemaProps => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  ...(items && { items }),
});

each<[rule: string, schema: JSONSchemaProps, errors: string[]]>([
  [
    "null is no type",
    { type: "null" },
    [
      'type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      "type: Forbidden: type cannot be set to null, use nullable as an alternative",
    ],
  ],
  [
    "much of JSON schemas is not supported",
    {
      id: "x",
      $ref: "",
      additionalItems: true,
      patternProperties: { a: {} },
      definitions: { b: {} },
      dependencies: { c: ["d"] },
      items: [{}],
    },
    [
      "id: Forbidden: id is not supported",
      "additionalItems: Forbidden: additionalItems is not supported",
      "patternProperties: Forbidden: patternProperties is not supported",
      "definitions: Forbidden: definitions is not supported",
      "dependencies: Forbidden: dependencies is not supported",
      "$ref: Forbidden: $ref is not supported",
      "items: Forbidden: items must be a schema object and not an array",
    ],
  ],
  [
    "what is not supported may not be empty either, but for maps of schemas",
    { additionalItems: {}, dependencies: {}, patternProperties: {}, definitions: {} },
    [
      "additionalItems: Forbidden: additionalItems is not supported",
      "dependencies: Forbidden: dependencies is not supported",
    ],
  ],
  [
    "members are named, or any",
    { properties: { a: {} }, additionalProperties: false },
    ["additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  [
    "members are named, and unknown ones kept",
    { properties: { a: {} }, additionalProperties: true },
    [],
  ],
  [
    "metadata has no defaults at the root",
    {
      properties: { kind: { default: "X" }, metadata: { properties: { name: { default: "n" } } } },
    },
    [
      "properties[kind].default: Forbidden: must not be set in top-level kind",
      "properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
    ],
  ],
  [
    "metadata of a resource in an object has no defaults for any member",
    {
      properties: {
        a: {
          "x-kubernetes-embedded-resource": true,
          properties: {
            metadata: {
              "x-kubernetes-embedded-resource": true,
              properties: { labels: { additionalProperties: { default: "x" } } },
            },
          },
        },
      },
    },
    [
      "properties[a].properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
      "properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
    ],
  ],
  [
    "only objects have a kind of maps",
    { type: "array", items: {}, "x-kubernetes-map-type": "odd" },
    [
      'type: Invalid value: "array": must be object if x-kubernetes-map-type is specified',
      'x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
    ],
  ],
  [
    "only arrays have a kind of lists",
    { "x-kubernetes-list-type": "odd" },
    [
      "type: Required value: must be array if x-kubernetes-list-type is specified",
      'x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    "only maps have keys",
    { type: "array", "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] },
    [
      'x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    "maps have keys and items",
    mapOf(undefined),
    [
      "x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
      "items: Required value: must have a schema if x-kubernetes-list-type is map",
    ],
  ],
  [
    "keys of maps are known, scalar, never absent or null, and each is given once",
    mapOf(
      {
        type: "object",
        nullable: true,
        properties: { a: { type: "object" }, b: { nullable: true } },
      },
      "a",
      "b",
      "c",
      "a",
    ),
    [
      'items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'x-kubernetes-list-map-keys: Invalid value: ["a","b","c","a"]: entries must all be names of item properties',
      'items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'x-kubernetes-list-map-keys: Invalid value: ["a","b","c","a"]: must not contain duplicate entries',
      "items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
      "items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "items.properties[b].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      "items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    "items of a set are atomic",
    {
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "array", "x-kubernetes-list-type": "map", items: {} },
    },
    expect.arrayContaining([
      'items.x-kubernetes-list-type: Invalid value: "map": must be atomic as item of a list with x-kubernetes-list-type=set',
    ]),
  ],
  [
    "a rule is written, and a message has one line",
    {
      ...rule({}),
      "x-kubernetes-validations": [
        { rule: " " },
        { rule: "a", message: " " },
        { rule: "a", message: "x\ny" },
        { rule: "a\nb" },
        { rule: "a", messageExpression: "\t" },
      ],
    },
    [
      "x-kubernetes-validations[0].rule: Required value: rule is not specified",
      'x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified',
      'x-kubernetes-validations[2].message: Invalid value: "x\\ny": must not contain line breaks',
      "x-kubernetes-validations[3].message: Required value: message must be specified if rule contains line breaks",
      "x-kubernetes-validations[4].messageExpression: Required value: messageExpression must be non-empty if specified",
    ],
  ],
  [
    "a rule's reason is known",
    rule({ reason: "Odd" }),
    [
      'x-kubernetes-validations[0].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  ["a rule may name a field", rule({ fieldPath: ".a" }), []],
  [
    "a rule names a field that is there",
    rule({ fieldPath: ".b" }),
    ['x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path'],
  ],
])("validateOpenApiSchema: %s", (_, schema, errors) => {
  expect(errorsOf(schema)).toEqual(errors);
});
