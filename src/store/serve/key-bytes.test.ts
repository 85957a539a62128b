import { expect, test } from "vitest";
import { boundOf, bytesOf, keyOf } from "./key-bytes.ts";

test.each([
  [[], ""],
  [[0x61], "a"],
  [[0x61, 0xff], "b"],
  [[0xd0], "\u{400}"],
  [[0xd0, 0xc0], "\u{440}"],
  [[0x61, 0xd0, 0xc0], "a\u{440}"],
  [[0xc0, 0x80], "\u{80}"],
  [[0xed, 0xa0, 0x80], "\u{e000}"],
  [[0xef, 0xbf], "\u{ffc0}"],
  [[0x61, 0xf4, 0x90], "b"],
  [[0xf4, 0x8f, 0xbf, 0xbf, 0xff], undefined],
  [[0xff], undefined],
])("boundOf: the least key that is not below %j", (given, bound) => {
  const bytes = Uint8Array.from(given);
  expect(boundOf(bytes)).toBe(bound);
  if (bound !== undefined) expect(Buffer.compare(bytesOf(bound), bytes)).toBeGreaterThanOrEqual(0);
});

test("keyOf: bytes that are not UTF-8 are no key", () => {
  expect(keyOf(bytesOf("\u{feff}ключ\0"))).toBe("\u{feff}ключ\0");
  expect(keyOf(Uint8Array.of(0x61, 0xff))).toBeUndefined();
  expect(keyOf(Uint8Array.of(0xed, 0xa0, 0x80))).toBeUndefined();
});
