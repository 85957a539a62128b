import { expect, test } from "vitest";
import { fnv32 } from "./fnv32.ts";

test.each([
  ["", 0x811c9dc5],
  ["a", 0x050c5d7e],
  ["foobar", 0x31f0b262],
])("fnv32: %j", (text, hash) => {
  expect(fnv32(new TextEncoder().encode(text))).toBe(hash);
});
