import { crc32 as known } from "node:zlib";
import { expect, test } from "vitest";
import { crc32 } from "./crc32.ts";

test("crc32: equals zlib's", () => {
  for (const text of ["", "123456789", "ünïcode", "x".repeat(1000)]) {
    const bytes = new TextEncoder().encode(text);
    expect(crc32(bytes)).toBe(known(bytes));
  }
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});
