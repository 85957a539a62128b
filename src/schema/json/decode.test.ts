import { expect, test } from "vitest";
import { emptyThing, Part, Thing, Tree } from "../language/thing.test-support.ts";
import { DecodeError, decodeJson } from "./decode.ts";

const read = (text: string) => {
  try {
    return decodeJson(Thing, text);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
};

test.each([
  ["text", '"x"', "x"],
  ["text", '"\\ud83d\\ude00"', "😀"],
  ["on", "true", true],
  ["small", "-2147483648", -2147483648],
  ["large", "9007199254740991", 9007199254740991],
  ["ratio", "1.5e3", 1500],
  ["ratio", "2", 2],
  ["data", '"AAEC"', "AAEC"],
  ["data", "[0,1,null,255]", "AAEA/w=="],
  ["at", '"2026-01-01T01:00:00+01:00"', "2026-01-01T00:00:00Z"],
  ["exactly", '"2026-01-01T00:00:00.500000Z"', "2026-01-01T00:00:00.500000Z"],
  ["wait", '"90s"', "1m30s"],
  ["memory", '"1024Mi"', "1Gi"],
  ["memory", "0.5", "500m"],
  ["port", "80", 80],
  ["port", '"http"', "http"],
  ["any", '{"a":[1,null,{"b":"c"}]}', { a: [1, null, { b: "c" }] }],
  ["fields", '{"f:a":{}}', { "f:a": {} }],
  ["part", "{}", { name: "" }],
  ["parts", '[{"name":"a"},null]', [{ name: "a" }, { name: "" }]],
  ["words", '["a",null]', ["a", ""]],
  ["counts", "[1,null]", [1, 0]],
  ["limits", '{"b":1,"a":"1k"}', { a: "1k", b: "1" }],
  ["limits", '{"a":null}', { a: "0" }],
  ["byName", '{"x":{"size":1}}', { x: { name: "", size: 1 } }],
  ["path", '"p"', "p"],
  ["depth", "0", 0],
  ["count", "0", 0],
  ["flags", '{"a":null}', { a: "" }],
] as const)("decodeJson: %s of %s", (name, text, wanted) => {
  expect(read(`{"${name}":${text}}`)).toEqual({
    value: { ...emptyThing, [name]: wanted },
    strict: [],
  });
});

test.each([
  ["text", '""'],
  ["on", "false"],
  ["small", "0"],
  ["large", "-0"],
  ["ratio", "0.0"],
  ["data", '""'],
  ["path", '""'],
  ["title", '""'],
])("decodeJson: a zero of %s is as good as none", (name, text) => {
  expect(read(`{"${name}":${text}}`)).toEqual({ value: emptyThing, strict: [] });
});

test.each([...Object.keys(Thing.fields)].map((name) => [name]))(
  "decodeJson: null for %s is as good as none",
  (name) => {
    expect(read(`{"${name}":null}`)).toEqual({ value: emptyThing, strict: [] });
  },
);

test.each([
  ["words", "[]", []],
  ["parts", "[]", []],
  ["flags", "{}", {}],
  ["limits", "{}", {}],
] as const)(
  "decodeJson: what is empty in %s is kept until the object is stored",
  (name, text, wanted) => {
    expect(read(`{"${name}":${text}}`)).toEqual({
      value: { ...emptyThing, [name]: wanted },
      strict: [],
    });
  },
);

const field = (name: string, of: string, what: string) =>
  `json: cannot unmarshal ${what} into Go struct field ${name} of type ${of}`;

test.each([
  ['{"text":1}', field("Thing.text", "string", "number")],
  ['{"on":"true"}', field("Thing.on", "bool", "string")],
  ['{"small":2147483648}', field("Thing.small", "int32", "number 2147483648")],
  ['{"small":1.0}', field("Thing.small", "int32", "number 1.0")],
  ['{"small":"1"}', field("Thing.small", "int32", "string")],
  ['{"large":9007199254740993}', field("Thing.large", "int64", "number 9007199254740993")],
  ['{"large":9223372036854775808}', field("Thing.large", "int64", "number 9223372036854775808")],
  ['{"large":1e3}', field("Thing.large", "int64", "number 1e3")],
  ['{"counts":[1,9007199254740993]}', field("Thing.counts", "int64", "number 9007199254740993")],
  ['{"port":1.5}', field("Thing.port", "int32", "number 1.5")],
  ['{"words":{}}', field("Thing.words", "[]string", "object")],
  ['{"flags":[]}', field("Thing.flags", "map[string]string", "array")],
  ['{"limits":true}', field("Thing.limits", "map[string]resource.Quantity", "bool")],
  ['{"part":"x"}', field("Thing.part", "v1.Part", "string")],
  ['{"part":{"name":1}}', field("Part.part.name", "string", "number")],
  ['{"parts":[{"labels":{"a":1}}]}', field("Part.parts.labels", "string", "number")],
  ["[]", "json: cannot unmarshal array into Go value of type v1.Thing"],
  ['"x"', "json: cannot unmarshal string into Go value of type v1.Thing"],
  ['{"text":', "unexpected end of JSON input"],
  ['{"text":"x"}}', "invalid character '}' after top-level value"],
  ['{"data":"%"}', "illegal base64 data at input byte 0"],
  ['{"data":{}}', field("Thing.data", "[]uint8", "object")],
  ['{"data":[256]}', field("Thing.data", "uint8", "number 256")],
  ['{"data":["a"]}', field("Thing.data", "uint8", "string")],
] as const)("decodeJson: %s is refused in Go's words", (text, wanted) => {
  expect(read(text)).toEqual(wanted);
});

test.each([
  ["memory", '"1x"'],
  ["at", '"yesterday"'],
  ["exactly", "1"],
  ["wait", '"soon"'],
])("decodeJson: %s that is malformed is refused", (name, text) => {
  expect(typeof read(`{"${name}":${text}}`)).toEqual("string");
});

test.each([
  ['{"x":1}', ['unknown field "x"']],
  ['{"x":{"text":1,"y":[1e400]}}', ['unknown field "x"']],
  ['{"part":{"x":1}}', ['unknown field "part.x"']],
  ['{"parts":[{},{"x":1}]}', ['unknown field "parts[1].x"']],
  ['{"byName":{"k":{"x":1}}}', ['unknown field "byName.k.x"']],
  [
    '{"__proto__":{},"constructor":1}',
    ['unknown field "__proto__"', 'unknown field "constructor"'],
  ],
  ['{"Text":"x"}', ['unknown field "Text"']],
  ['{"text":"a","text":"b"}', ['duplicate field "text"']],
  ['{"flags":{"a":"1","a":"2"}}', ['duplicate field "flags.a"']],
  ['{"any":{"a":1,"a":2}}', ['duplicate field "any.a"']],
  ['{"any":[{"b":{"a":1,"a":2}}]}', ['duplicate field "any[0].b.a"']],
  ['{"y":1,"part":{"z":1},"y":2}', ['unknown field "y"', 'unknown field "part.z"']],
] as const)("decodeJson: a strict reader minds what is wrong in %s", (text, wanted) => {
  const decoded = read(text);
  expect(typeof decoded === "string" ? decoded : decoded.strict).toEqual(wanted);
});

test("decodeJson: the last of duplicate fields wins, and structs are merged", () => {
  expect(read('{"text":"a","text":"b","part":{"name":"p"},"part":{"size":2}}')).toEqual({
    value: { ...emptyThing, text: "b", part: { name: "p", size: 2 } },
    strict: ['duplicate field "text"', 'duplicate field "part"'],
  });
});

test("decodeJson: a hundred faults are noted, and no more", () => {
  const members = Array.from({ length: 200 }, (_, n) => `"x${n}":1`);
  const decoded = read(`{${members.join()}}`);
  expect(typeof decoded === "string" ? decoded : decoded.strict.length).toEqual(100);
});

test("decodeJson: maps may hold any key, in the order of their bytes", () => {
  const text = '{"flags":{"b":"1","__proto__":"2","10":"3","9":"4","é":"5","z":"6"}}';
  const { value } = decodeJson(Thing, text);
  const { flags } = value as { flags: Record<string, string> };
  expect(Object.getPrototypeOf(flags)).toEqual(Object.prototype);
  expect(Object.entries(flags).sort()).toEqual([
    ["10", "3"],
    ["9", "4"],
    ["__proto__", "2"],
    ["b", "1"],
    ["z", "6"],
    ["é", "5"],
  ]);
});

test("decodeJson: a document that is too deep is refused, whatever it is in", () => {
  const deep = (open: string, close: string, depth: number) =>
    open.repeat(depth) + close.repeat(depth);
  for (const depth of [2_000, 9_000, 20_000]) {
    for (const name of ["any", "fields"])
      expect(read(`{"${name}":${deep("[", "]", depth)}}`)).toMatch(/exceeded max depth$/);
  }
  expect(read(`{"x":${deep("[", "]", 20_000)}}`)).toMatch(/exceeded max depth$/);
  const trees = deep('{"left":', "}", 20_000).replace(":}", ":{}}");
  expect(() => decodeJson(Tree, trees)).toThrow(/exceeded max depth$/);
});

test("decodeJson: depth up to a thousand is read, and what is not kept may be deeper", () => {
  const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(typeof read(`{"any":${lists(990)}}`)).toEqual("object");
  expect(read(`{"x":${lists(9_990)}}`)).toEqual({
    value: emptyThing,
    strict: ['unknown field "x"'],
  });
  const trees = `${'{"left":'.repeat(990)}{}${"}".repeat(990)}`;
  expect(JSON.stringify(decodeJson(Tree, trees).value)).toEqual(trees);
});

test.each(["9007199254740993", "-9007199254740993", "1".repeat(400), "1e400"])(
  "decodeJson: %s in a free-form value is refused, not rounded",
  (literal) => {
    expect(read(`{"any":{"a":[${literal}]}}`)).toEqual(
      field("Thing.any", "int64", `number ${literal}`),
    );
  },
);

test("decodeJson: the fields of a value are in order of declaration", () => {
  const { value } = decodeJson(Part, '{"labels":{"a":"b"},"size":1,"name":"x"}');
  expect(Object.keys(value as object)).toEqual(["name", "size", "labels"]);
});
