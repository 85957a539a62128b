import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha1 } from "./sha1.ts";

test("sha1: equals node:crypto, for every length around the end of a block", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    const expected = createHash("sha1").update(bytes).digest("hex");
    expect(Buffer.from(sha1(bytes)).toString("hex")).toBe(expected);
  }
});
