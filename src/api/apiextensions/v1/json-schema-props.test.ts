import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { encodeJson } from "../../../schema/json/json.ts";
import { schemasOf } from "../../../schema/openapi/openapi.ts";
import { encodeProtobuf } from "../../../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../../schema/protobuf/protobuf-decode.ts";
import { JSONSchemaProps } from "./json-schema-props.ts";

const read = (text: string) => decodeJson(JSONSchemaProps, text);
const rewritten = (text: string) => encodeJson(JSONSchemaProps, read(text).value);
const hex = (text: string) =>
  Buffer.from(encodeProtobuf(JSONSchemaProps, read(text).value)).toString("hex");

each<[rule: string, text: string, written: string]>([
  [
    "fields stand in their order",
    '{"minimum":1,"type":"integer"}',
    '{"type":"integer","minimum":1}',
  ],
  [
    "other members may be a boolean",
    '{"additionalProperties":false}',
    '{"additionalProperties":false}',
  ],
  [
    "other members may have a schema",
    '{"additionalProperties":{"title":"t","id":""}}',
    '{"additionalProperties":{"title":"t"}}',
  ],
  ["items may be a list", '{"items":[{"type":"string"},{}]}', '{"items":[{"type":"string"},{}]}'],
  ["an empty list of items is none", '{"items":[]}', "{}"],
  ["what items cannot be counts as none", '{"items":true}', "{}"],
  ["null is none", '{"items":null,"additionalProperties":null,"default":null}', "{}"],
  ["a default of false is one", '{"default":false}', '{"default":false}'],
  [
    "values are written by the names of their members",
    '{"default":{"b":1,"a":{"d":1,"c":[{"y":1,"x":2}]}}}',
    '{"default":{"a":{"c":[{"x":2,"y":1}],"d":1},"b":1}}',
  ],
  ["a value may be null in a list", '{"enum":[null,"a"]}', '{"enum":[null,"a"]}'],
  [
    "schemas stand in schemas",
    '{"properties":{"b":{"not":{"items":{"type":"string"}}},"a":{}}}',
    '{"properties":{"a":{},"b":{"not":{"items":{"type":"string"}}}}}',
  ],
  [
    "names that look like numbers stay in order",
    '{"properties":{"b":{},"10":{}},"items":{"properties":{"9":{},"a":{}}}}',
    '{"items":{"properties":{"9":{},"a":{}}},"properties":{"10":{},"b":{}}}',
  ],
])("JSONSchemaProps: %s", (_, text, written) => {
  expect(rewritten(text)).toBe(written);
});

test("JSONSchemaProps: unknown fields are minded, but not within items and other members", () => {
  const text =
    '{"odd":1,"properties":{"a":{"odd":1}},"items":{"odd":1},"additionalProperties":{"odd":1}}';
  expect(read(text)).toEqual({
    value: { properties: { a: {} }, items: {}, additionalProperties: {} },
    strict: ['unknown field "odd"', 'unknown field "properties.a.odd"'],
  });
});

each<[text: string, message: string]>([
  ['{"additionalProperties":1}', "boolean or JSON schema expected"],
  ['{"additionalProperties":[]}', "boolean or JSON schema expected"],
  [
    '{"items":{"type":1}}',
    "json: cannot unmarshal number into Go struct field JSONSchemaProps.items.type of type string",
  ],
  [
    '{"type":true,"items":{"externalDocs":{"url":1}}}',
    "json: cannot unmarshal number into Go struct field JSONSchemaProps.items.externalDocs.url of type string",
  ],
])("JSONSchemaProps: %s is refused", (text, message) => {
  expect(() => read(text)).toThrow(message);
});

each<[rule: string, text: string, bytes: string]>([
  ["a boolean", '{"additionalProperties":false}', "f201020800"],
  ["a text of JSON", '{"default":{"a":"<"}}', "42100a0e7b2261223a225c7530303363227d"],
  ["a null in a list", '{"enum":[null,1]}', "a20100a201030a0131"],
])("JSONSchemaProps in protobuf: %s", (_, text, bytes) => {
  expect(hex(text)).toContain(bytes);
});

test.each([
  '{"default":{"a":[1,null,"x"]},"items":{"type":"string"},"additionalProperties":true}',
  '{"items":[{"type":"string"},{"type":"integer"}],"additionalProperties":{"type":"object"}}',
  '{"additionalProperties":false,"dependencies":{"a":["b"],"c":{"type":"string"}}}',
  '{"enum":["a",{"b":1},null,false],"example":0}',
])("JSONSchemaProps in protobuf: %s is read as it was", (text) => {
  const { value } = read(text);
  const bytes = encodeProtobuf(JSONSchemaProps, value);
  expect(decodeProtobuf(JSONSchemaProps, bytes)).toEqual(value);
});

test("JSONSchemaProps in OpenAPI: what has two shapes has a schema of its own", () => {
  const schemas = schemasOf([JSONSchemaProps], 2, () => []);
  const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
  const properties = schemas[name]?.properties as Readonly<Record<string, object>> | undefined;
  expect([
    Object.keys(schemas).filter((each) => each.startsWith(`${name}Or`)),
    properties?.items,
  ]).toEqual([
    [`${name}OrArray`, `${name}OrBool`, `${name}OrStringArray`],
    {
      description: "The schema of the items of a list.",
      $ref: `#/definitions/${name}OrArray`,
    },
  ]);
});
