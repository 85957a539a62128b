import { expect, test } from "vitest";
import { parsePointer } from "./json-pointer.ts";

test.each([
  ["", []],
  ["/", [""]],
  ["/a/0/", ["a", "0", ""]],
  ["/a~1b/~0~01", ["a/b", "~~1"]],
])("parsePointer: %j", (pointer, tokens) => {
  expect(parsePointer(pointer)).toEqual(tokens);
});
