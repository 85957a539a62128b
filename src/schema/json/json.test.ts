import { expect, test } from "vitest";
import { bool, raw, string, stringMap } from "../language/field.ts";
import { sharedFields } from "../language/shared-fields.ts";
import { struct } from "../language/struct.ts";
import { Thing, Tree } from "../language/thing.test-support.ts";
import { decodeJson } from "./decode.ts";
import { encodeJson } from "./json.ts";

const again = (text: string) => encodeJson(Thing, decodeJson(Thing, text).value);
const rest = '"held":{"name":""},"title":"","none":null';

test.each([
  ["nothing", "{}", `{${rest}}`],
  ["fields in another order", '{"words":["a"],"text":"b"}', `{"text":"b","words":["a"],${rest}}`],
  [
    "a map with keys that look like numbers",
    '{"limits":{"b":"1","10":"2","9":"3"}}',
    `{"limits":{"10":"2","9":"3","b":"1"},${rest}}`,
  ],
  [
    "such a map in a map of structs in a list",
    '{"byName":{"x":{"labels":{"a":"1","2":"3"}}},"parts":[{"labels":{"11":"","2":""}}]}',
    `{"parts":[{"name":"","labels":{"11":"","2":""}}],"byName":{"x":{"name":"","labels":{"2":"3","a":"1"}}},${rest}}`,
  ],
  [
    "such keys in a free-form value",
    '{"any":{"a":[{"10":1,"9":2}]}}',
    `{"any":{"a":[{"10":1,"9":2}]},${rest}}`,
  ],
  ["__proto__", '{"limits":{"__proto__":"1"}}', `{"limits":{"__proto__":"1"},${rest}}`],
  [
    "text that needs escapes",
    '{"text":"\\"\\\\\\u0001é\\ud83d\\ude00"}',
    `{"text":"\\"\\\\\\u0001é😀",${rest}}`,
  ],
])("encodeJson: %s", (_, text, wanted) => {
  expect(again(text)).toEqual(wanted);
});

test("encodeJson: a struct that holds itself is looked through", () => {
  const text = '{"name":"a","left":{"left":{"name":"b"}},"others":[{"name":"c"}]}';
  expect(encodeJson(Tree, decodeJson(Tree, text).value)).toEqual(text);
});

const Note = struct("test.v1.Note", {
  kind: string(0),
  apiVersion: string(0),
  metadata: raw(1),
  data: stringMap(2),
  immutable: bool(3),
});

test("encodeJson: fields whose text is known stand where they would", () => {
  const fieldsV1 = sharedFields('{"f:data":{".":{},"f:a\\"b":{}}}');
  const entry = { manager: "m", operation: "Update", fieldsType: "FieldsV1", fieldsV1 };
  const object = (metadata: object, more: object = {}) =>
    ({ kind: "Note", apiVersion: "v1", metadata, ...more }) as const;
  for (const value of [
    object({ name: "a", managedFields: [entry] }, { data: { a: "1" } }),
    object({ managedFields: [entry, { ...entry, subresource: "status" }] }),
    object({ managedFields: [{ fieldsV1 }] }),
    object({ managedFields: [entry, { ...entry, fieldsV1: { "f:immutable": {} } }] }),
    object({ managedFields: [{ manager: "m" }] }),
    object({ name: "a", managedFields: [] }),
    { metadata: { managedFields: [entry] }, immutable: true },
  ])
    expect(encodeJson(Note, value)).toBe(JSON.stringify(value));
});
