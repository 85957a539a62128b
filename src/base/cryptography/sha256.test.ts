import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256, sha256Hex } from "./sha256.ts";

test("sha256: equals node:crypto, for every length around the end of a block", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    const expected = createHash("sha256").update(bytes).digest("hex");
    expect(Buffer.from(sha256(bytes)).toString("hex")).toBe(expected);
  }
});

test("sha256Hex: hashes the UTF-8 of a text", () => {
  expect(sha256Hex("volume-ü")).toBe(createHash("sha256").update("volume-ü").digest("hex"));
});
