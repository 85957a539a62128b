import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { At } from "../language/report.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded.ts";
import type { JsonSchema } from "./json-schema.ts";
import { metadata } from "./metadata.test-support.ts";

const resource: JsonSchema = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};
const schema: JsonSchema = {
  type: "object",
  properties: { one: resource, list: { type: "array", items: resource } },
};
const lines = (at: At) => at.errors.map(({ field, message }) => `${field}: ${message}`);

each<[rule: string, value: object, left: object, unknown: string[], errors: string[]]>([
  [
    "unknown metadata goes",
    { one: { metadata: { name: "n", odd: 1 }, spec: { x: 1 } } },
    { one: { metadata: { name: "n" }, spec: { x: 1 } } },
    ["one.metadata.odd"],
    [],
  ],
  [
    "metadata of the object itself is not this one's",
    { metadata: { odd: 1 } },
    { metadata: { odd: 1 } },
    [],
    [],
  ],
  [
    "items are looked at",
    { list: [{ metadata: { a: 1 } }] },
    { list: [{ metadata: {} }] },
    ["list[0].metadata.a"],
    [],
  ],
  [
    "a kind is a text",
    { one: { kind: 5 } },
    { one: { kind: 5 } },
    [],
    ["one.kind: Invalid value: 5: must be a string"],
  ],
  [
    "metadata is of its types",
    { one: { metadata: { labels: { a: 1 } } } },
    { one: { metadata: { labels: { a: 1 } } } },
    [],
    [
      'one.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ],
  [
    "metadata is in order, and what is empty goes",
    { one: { metadata: { labels: {}, name: "n" } } },
    { one: { metadata: { name: "n" } } },
    [],
    [],
  ],
  [
    "an error shows metadata in order",
    { one: { metadata: { name: "n", labels: { b: "c", a: 1 } } } },
    { one: { metadata: { name: "n", labels: { b: "c", a: 1 } } } },
    [],
    [
      'one.metadata: Invalid value: {"labels":{"a":1,"b":"c"},"name":"n"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ],
])("coerceEmbedded: %s", (_, value, left, unknown, errors) => {
  const at = At.root();
  const draft = structuredClone(value);
  const found = coerceEmbedded(draft, schema, { at, metadata });
  expect([draft, found, lines(at)]).toEqual([left, unknown, errors]);
});

each<[rule: string, value: object, left: object]>([
  [
    "what is of a wrong type is dropped",
    { one: { kind: 5, apiVersion: "v1" } },
    { one: { apiVersion: "v1" } },
  ],
  [
    "metadata that cannot be read stays",
    { one: { metadata: { labels: 1 } } },
    { one: { metadata: { labels: 1 } } },
  ],
])("coerceEmbedded: of what is stored, %s", (_, value, left) => {
  const at = At.root();
  const draft = structuredClone(value);
  coerceEmbedded(draft, schema, { at, metadata, dropsInvalid: true });
  expect([draft, lines(at)]).toEqual([left, []]);
});

each<[rule: string, one: object, errors: string[]]>([
  [
    "kind and version are there",
    {},
    ["one.apiVersion: Required value", "one.kind: Required value"],
  ],
  [
    "they are not empty",
    { apiVersion: "", kind: "" },
    [
      'one.apiVersion: Invalid value: "": must not be empty',
      'one.kind: Invalid value: "": must not be empty',
    ],
  ],
  [
    "they are texts",
    { apiVersion: 1, kind: [] },
    [
      "one.apiVersion: Invalid value: 1: must be a string",
      "one.kind: Invalid value: []: must be a string",
    ],
  ],
  [
    "a version is one",
    { apiVersion: "a/b/c", kind: "K" },
    ['one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
  [
    "a kind is a name",
    { apiVersion: "v1", kind: "-" },
    [
      `one.kind: Invalid value: "-": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
  ["metadata needs no name", { apiVersion: "v1", kind: "K", metadata: {} }, []],
  [
    "metadata has its rules",
    { apiVersion: "v1", kind: "K", metadata: { name: "bad" } },
    ['one.metadata.name: Invalid value: "bad": is bad'],
  ],
])("validateEmbedded: %s", (_, one, errors) => {
  const at = At.root();
  validateEmbedded({ one }, schema, { at, metadata });
  expect(lines(at)).toEqual(errors);
});
