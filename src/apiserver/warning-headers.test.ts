import { expect, test } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

test("warningHeaders: each warning once, quoted", () => {
  expect(warningHeaders([])).toEqual({});
  expect(warningHeaders(['a "b" \\c', "", "d", "d"])).toEqual({
    warning: ['299 - "a \\"b\\" \\\\c"', '299 - "d"'],
  });
});

test("warningHeaders: what would break out of a header is left out", () => {
  expect(warningHeaders(["a\r\nImpersonate-User: root", "b\0", "\u00e9"])).toEqual({
    warning: ['299 - "\u00e9"'],
  });
});

test("warningHeaders: too many are cut short, and then left out", () => {
  const text = (n: number, length: number) => `${n}`.padEnd(length, "x");
  const lengths = (warnings: string[]) =>
    warningHeaders(warnings).warning?.map((header) => header.length - '299 - ""'.length);
  const all = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => text(n, length));
  expect(lengths(all(8, 512))).toEqual(new Array(8).fill(512));
  expect(lengths(all(9, 512))).toEqual(new Array(9).fill(256));
  expect(lengths(all(100, 512))).toEqual(new Array(16).fill(256));
  expect(lengths(all(1000, 100))?.length).toBe(41);
});
