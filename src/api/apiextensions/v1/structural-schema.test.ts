import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { structuralFault, validateStructural } from "./structural-schema.ts";

const errorsOf = (schema: JSONSchemaProps): readonly string[] => {
  const at = At.root();
  validateStructural(schema, at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const object = (properties: Record<string, JSONSchemaProps>): JSONSchemaProps => ({
  type: "object",
  properties,
});
const intOrString = [{ type: "integer" }, { type: "string" }];

each<[rule: string, schema: JSONSchemaProps, errors: string[]]>([
  ["an object is enough", { type: "object" }, []],
  ["the root has a type", {}, ["type: Required value: must not be empty at the root"]],
  [
    "the root is an object",
    { type: "string" },
    ['type: Invalid value: "string": must be object at the root'],
  ],
  [
    "the root has no other members",
    { type: "object", additionalProperties: true },
    ["additionalProperties: Forbidden: must not be used at the root"],
  ],
  [
    "members, items and other members have types",
    object({ a: { type: "array", items: {} }, b: { type: "object", additionalProperties: {} } }),
    [
      "properties[a].items.type: Required value: must not be empty for specified array items",
      "properties[b].additionalProperties.type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    "what keeps unknown fields needs no type",
    object({ a: { "x-kubernetes-preserve-unknown-fields": true } }),
    [],
  ],
  [
    "a whole number or a text may say so under anyOf, or first under allOf",
    object({
      a: { "x-kubernetes-int-or-string": true, anyOf: intOrString },
      b: {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: intOrString }, { pattern: "^a" }],
      },
    }),
    [],
  ],
  [
    "types stand outside of junctors",
    object({
      a: { type: "string", anyOf: [{ type: "string" }], not: { title: "x", nullable: true } },
    }),
    [
      "properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
      "properties[a].not.nullable: Forbidden: must be false to be structural",
      "properties[a].not.title: Forbidden: must be empty to be structural",
    ],
  ],
  [
    "a default of false under a junctor is one, too",
    object({ a: { type: "boolean", allOf: [{ default: false }] } }),
    ["properties[a].allOf[0].default: Forbidden: must be undefined to be structural"],
  ],
  [
    "what a junctor of the root speaks of has a schema outside of it",
    {
      ...object({ l: { type: "array", items: { type: "object" } } }),
      oneOf: [{ properties: { b: { minimum: 1 } } }, { required: ["c"] }],
      allOf: [{ not: { properties: { l: { items: { properties: { x: {} } } } } } }],
    },
    [
      "properties[b]: Required value: because it is defined in oneOf[0].properties[b]",
      "properties[l].items.properties[x]: Required value: because it is defined in allOf[0].not.properties[l].items.properties[x]",
    ],
  ],
  [
    "metadata at the root says something of names only",
    object({ metadata: { type: "object", properties: { name: { type: "string" } } } }),
    [],
  ],
  [
    "metadata under a junctor is not spoken of",
    { ...object({ metadata: { type: "object" } }), not: { properties: { metadata: {} } } },
    ["not.properties[metadata]: Forbidden: must not be specified in a nested context"],
  ],
  [
    "an embedded resource is an object with members",
    object({
      a: { type: "string", "x-kubernetes-embedded-resource": true },
      b: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        additionalProperties: { type: "string" },
        properties: { kind: { type: "integer" }, metadata: { type: "string" } },
      },
    }),
    [
      "properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      'properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
      "properties[b].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      'properties[b].properties[kind].type: Invalid value: "integer": must be string',
      'properties[b].properties[metadata].type: Invalid value: "string": must be object',
    ],
  ],
  [
    "a whole number or a text is neither a resource nor anything else",
    object({
      a: {
        type: "object",
        "x-kubernetes-int-or-string": true,
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    }),
    [
      "properties[a].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      "properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  [
    "patterns can be read, under junctors too",
    object({ a: { type: "string", anyOf: [{ pattern: "a**" }] } }),
    [
      'properties[a].anyOf[0].pattern: Invalid value: "a**": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `**`',
    ],
  ],
])("validateStructural: %s", (_, schema, errors) => {
  expect(errorsOf(schema)).toEqual(errors);
});

each<[schema: JSONSchemaProps, fault: string | undefined]>([
  [{ type: "object" }, undefined],
  [{ id: "x" }, "OpenAPIV3Schema 'id' is not supported"],
  [{ additionalItems: false }, "OpenAPIV3Schema 'additionalItems' is not supported"],
  [{ items: [{}] }, "OpenAPIV3Schema 'items' must be a schema, but is an array"],
  [object({ a: { not: { $ref: "#" } } }), "OpenAPIV3Schema '$ref' is not supported"],
  [
    { additionalProperties: { "x-kubernetes-preserve-unknown-fields": false } },
    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
  ],
])("structuralFault: %j", (schema, fault) => {
  expect(structuralFault(schema)).toEqual(fault);
});
