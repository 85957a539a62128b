import { expect, test } from "vitest";
import { setMember } from "../json/strict-json.ts";
import { sortedKeys } from "../values/utf8-order.ts";
import { bytes, mapOf, stringMap } from "./field.ts";
import { canonicalise, keepingEmpty, normalise } from "./normalise.ts";
import { struct } from "./struct.ts";
import { emptyThing, Part, Thing } from "./thing.test-support.ts";
import { bytesType } from "./type.ts";

test("normalise: members that were recognised are counted, at every depth", () => {
  const input = {
    text: "x",
    parts: [{ name: "a", labels: { b: "c", d: "e" } }],
    any: { f: [{ g: 1 }] },
    unknown: { h: 1 },
  };
  expect(normalise(Thing, input)?.members).toEqual(9);
});

test.each([
  ["text", 1],
  ["on", 0],
  ["small", 2 ** 31],
  ["small", 1.5],
  ["large", 2 ** 53],
  ["data", "%"],
  ["at", "x"],
  ["wait", 1],
  ["memory", "1x"],
  ["port", true],
  ["parts", {}],
  ["flags", []],
  ["part", []],
  ["part", "x"],
  ["flags", { a: 1 }],
])("normalise: %s of %j is left to the slow way", (name, value) => {
  expect(normalise(Thing, { [name]: value })).toEqual(undefined);
});

test("normalise: empty lists and maps are kept for validation, and go when an object is stored", () => {
  const input = { words: [], flags: {}, parts: [{ labels: {} }] };
  expect(keepingEmpty(Thing, input)).toEqual({
    ...emptyThing,
    words: [],
    flags: {},
    parts: [{ name: "", labels: {} }],
  });
  expect(canonicalise(Thing, input)).toEqual({ ...emptyThing, parts: [{ name: "" }] });
});

test("normalise: no bytes are told from absent ones for validation, where they are always written", () => {
  const Bytes = struct("Bytes", { a: bytes(1).always(), b: bytes(2) });
  expect(keepingEmpty(Bytes, { a: "", b: "" })).toEqual({ a: "" });
  expect(keepingEmpty(Bytes, {})).toEqual({ a: null });
  expect(canonicalise(Bytes, { a: "", b: "" })).toEqual({ a: null });
});

test("normalise: null in a map is the zero of what it holds, no bytes among them", () => {
  const Maps = struct("Maps", { words: stringMap(1), data: mapOf(2, bytesType) });
  const input = { words: { a: null }, data: { b: null } };
  expect(canonicalise(Maps, input)).toEqual({ words: { a: "" }, data: { b: "" } });
});

test("normalise: what comes out is in order of declaration, and not what went in", () => {
  const input = { size: 2, name: "n", labels: { b: "1", a: "2" } };
  const output = canonicalise(Part, input);
  expect(JSON.stringify(output)).toEqual('{"name":"n","size":2,"labels":{"a":"2","b":"1"}}');
  expect(output).not.toBe(input);
});

test("sortedKeys: keys that look like numbers have no place of their own", () => {
  expect(sortedKeys({ b: 1, 10: 1, 9: 1, a: 1 })).toEqual(["10", "9", "a", "b"]);
});

test("setKey: __proto__ is a key like others", () => {
  const map: Record<string, unknown> = {};
  setMember(map, "__proto__", { polluted: true });
  expect([Object.keys(map), map.polluted, ({} as { polluted?: boolean }).polluted]).toEqual([
    ["__proto__"],
    undefined,
    undefined,
  ]);
});
