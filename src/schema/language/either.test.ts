import { expect, test } from "vitest";
import { decodeJson } from "../json/decode.ts";
import { encodeJson } from "../json/json.ts";
import { encodeProtobuf } from "../protobuf/protobuf.ts";
import { decodeProtobuf } from "../protobuf/protobuf-decode.ts";
import { optional, string } from "./field.ts";
import { type Struct, struct } from "./struct.ts";
import { boolType, eitherType, jsonType, listType, stringType } from "./type.ts";

const self = (): Struct => Holder;
const Holder: Struct = struct("x.v1.Holder", {
  name: string(1),
  flag: optional(
    2,
    eitherType(self, boolType, {
      name: "x.v1.HolderOrBool",
      objectTag: 2,
      otherTag: 1,
      error: "boolean or holder expected",
    }),
  ),
  names: optional(
    3,
    eitherType(self, listType(stringType), {
      name: "x.v1.HolderOrNames",
      objectTag: 1,
      otherTag: 2,
    }),
  ),
  any: optional(4, jsonType),
});

const read = (text: string) => decodeJson(Holder, text);

test.each<[text: string, bytes: string]>([
  ['{"flag":true}', "0a0012020801"],
  ['{"flag":false}', "0a0012020800"],
  ['{"flag":{"name":"a"}}', "0a001207080112030a0161"],
  ['{"names":["a","b"]}', "0a001a06120161120162"],
  ['{"names":{"name":"a"}}', "0a001a050a030a0161"],
  ['{"any":{"a":[1]}}', "0a00220b0a097b2261223a5b315d7d"],
])("either, json: %s in JSON and in protobuf", (text, bytes) => {
  const { value, strict } = read(text);
  const encoded = encodeProtobuf(Holder, value);
  expect({
    bytes: Buffer.from(encoded).toString("hex"),
    again: encodeJson(Holder, decodeProtobuf(Holder, encoded)),
    strict,
  }).toEqual({ bytes, again: text, strict: [] });
});

test("either: a value of neither shape is refused, or counts as none", () => {
  expect(() => read('{"flag":"x"}')).toThrow("boolean or holder expected");
  expect(read('{"names":"x"}').value).toEqual({});
});

test("either, json: what is unknown or repeated within is not minded", () => {
  expect(read('{"odd":1,"flag":{"odd":1,"name":"a","name":"b"},"any":{"c":1,"c":2}}')).toEqual({
    value: { flag: { name: "b" }, any: { c: 2 } },
    strict: ['unknown field "odd"'],
  });
});

test("either: a value of a wrong type within comes before others", () => {
  expect(() => read('{"name":1,"flag":{"names":{"name":true}}}')).toThrow(
    "json: cannot unmarshal bool into Go struct field Holder.flag.names.name of type string",
  );
});

test("json: members are put in the order of their names, wherever they stand", () => {
  expect(encodeJson(Holder, read('{"any":[{"b":1,"a":2}]}').value)).toBe('{"any":[{"a":2,"b":1}]}');
});
