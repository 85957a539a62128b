import { expect, test } from "vitest";
import { formatPointer, parsePointer, resolvePointer } from "./json-pointer.ts";

test.each([
  ["", []],
  ["/", [""]],
  ["/a/0/", ["a", "0", ""]],
  ["/a~1b/~0~01", ["a/b", "~~1"]],
])("parsePointer: %j", (pointer, tokens) => {
  expect([parsePointer(pointer), formatPointer(tokens)]).toEqual([tokens, pointer]);
});

test("resolvePointer: follows members and indices", () => {
  const document = { a: [{ b: 1 }, null], "x/y": { "": 2 } };
  const pointers = ["", "/a/0/b", "/a/1", "/x~1y/", "/a/2", "/a/-", "/a/00", "/toString", "/a/1/b"];
  expect(pointers.map((pointer) => resolvePointer(document, pointer))).toEqual([
    ...[document, 1, null, 2],
    ...[undefined, undefined, undefined, undefined, undefined],
  ]);
});
