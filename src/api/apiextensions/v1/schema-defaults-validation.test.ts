import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";
import { validateDefaults } from "./schema-defaults-validation.ts";

const errorsOf = (a: JSONSchemaProps): readonly string[] => {
  const at = At.root();
  validateDefaults({ type: "object", properties: { a } }, at, { requirePruned: true });
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const resource = (value: unknown): JSONSchemaProps => ({
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
  default: value,
});

each<[rule: string, schema: JSONSchemaProps, errors: string[]]>([
  ["what is valid is accepted", { type: "integer", default: 1 }, []],
  [
    "a default is of the schema's type",
    { type: "array", items: { type: "string", default: 1 } },
    [
      'properties[a].items.default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  ],
  [
    "items of a default that is a list are named as members",
    { type: "array", items: { type: "string" }, default: ["a", 1] },
    [
      'properties[a].default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"',
    ],
  ],
  [
    "nothing in a default is unknown",
    { type: "object", properties: { x: { type: "string" } }, default: { x: "y", z: [] } },
    ['properties[a].default: Invalid value: {"x":"y","z":[]}: must not have unknown fields'],
  ],
  [
    "unknown fields may be kept, but not within what has a schema",
    {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { x: { type: "object" } },
      default: { y: 1, x: { z: 1 } },
    },
    ['properties[a].default: Invalid value: {"y":1,"x":{"z":1}}: must not have unknown fields'],
  ],
  [
    "other members are known",
    { type: "object", additionalProperties: { type: "string" }, default: { x: "y" } },
    [],
  ],
  [
    "a resource has a version and a kind",
    resource({ metadata: { name: "x" } }),
    [
      "properties[a].default.apiVersion: Required value",
      "properties[a].default.kind: Required value",
    ],
  ],
  [
    "a resource's metadata is of the right type",
    resource({ apiVersion: "v1", kind: "X", metadata: { name: 1 } }),
    [
      'properties[a].default.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
  ],
  [
    "a resource's metadata is valid",
    resource({ apiVersion: "a/b/c", kind: "X_", metadata: { name: "x/y" } }),
    [
      'properties[a].default.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringContaining(
        'properties[a].default.kind: Invalid value: "X_": may have mixed case, but should otherwise match: a DNS-1035',
      ),
      "properties[a].default.metadata.name: Invalid value: \"x/y\": may not contain '/'",
    ],
  ],
  [
    "a default within metadata makes valid metadata",
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: {
        metadata: { type: "object", properties: { name: { type: "string", default: "x/y" } } },
      },
    },
    [
      'properties[a].properties[metadata].properties[name].default: Invalid value: "x/y": must result in valid metadata: metadata.name: Invalid value: "x/y": may not contain \'/\'',
    ],
  ],
])("validateDefaults: %s", (_, schema, errors) => {
  expect(errorsOf(schema)).toEqual(errors);
});
