import { expect, test } from "vitest";
import { parseJson } from "../json/strict-json.ts";
import { jsonPatchFaults, repeatedMembers } from "./json-patch-strict.ts";

test("repeatedMembers: each with its path, once", () => {
  const text = '{"a":1,"a":2,"a":3,"b":[{"c":1},{"c":1,"c":{"d":1,"d":2}}]}';
  expect(repeatedMembers(parseJson(text))).toEqual([
    'duplicate field "a"',
    'duplicate field "b[1].c"',
    'duplicate field "b[1].c.d"',
  ]);
});

test("repeatedMembers: no more than a hundred are reported", () => {
  const text = `{${Array.from({ length: 300 }, (_, i) => `"${i >> 1}":0`).join(",")}}`;
  expect(repeatedMembers(parseJson(text))).toHaveLength(100);
});

test("jsonPatchFaults: members that no operation has, and repeated ones", () => {
  const text =
    '[{"op":"test","extra":{"x":1,"x":2},"op":"add"},null,{"path":"/","b":1,"value":{"v":1,"v":2}}]';
  expect(jsonPatchFaults(parseJson(text))).toEqual([
    'json patch unknown field "[0].extra"',
    'json patch duplicate field "[0].op"',
    'json patch unknown field "[2].b"',
    'json patch duplicate field "[2].value.v"',
  ]);
});
