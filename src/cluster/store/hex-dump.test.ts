import { expect, test } from "vitest";
import { hexDump } from "./hex-dump.ts";

test.each([
  ["", ""],
  ["a\n", "00000000  61 0a                                             |a.|\n"],
  [
    "0123456789abcdefé",
    `00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|
00000010  c3 a9                                             |..|
`,
  ],
])("hexDump: %j", (text, lines) => {
  expect(hexDump(new TextEncoder().encode(text))).toBe(lines);
});
