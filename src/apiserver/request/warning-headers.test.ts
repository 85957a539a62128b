import { expect, test } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

const text = (length: number, letter = "a"): string => letter.repeat(length);
const numbered = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padEnd(length, "."));
const lengths = (warnings: readonly string[]): number[] =>
  (warningHeaders(warnings).warning ?? []).map(
    (line) => [...line.slice('299 - "'.length, -1)].length,
  );

test("warningHeaders: each text once, quoted; none is no header", () => {
  expect(warningHeaders([])).toEqual({});
  expect(warningHeaders(["", "two\nlines"])).toEqual({});
  expect(warningHeaders(["b", 'a "\\', "b"])).toEqual({
    warning: ['299 - "b"', '299 - "a \\"\\\\"'],
  });
});

test("warningHeaders: up to 4096 characters, all are whole", () => {
  expect(lengths([text(4096)])).toEqual([4096]);
  expect(lengths([text(4000), text(96, "b")])).toEqual([4000, 96]);
  expect(lengths([text(4096, "ü")])).toEqual([4096]);
  expect(lengths([text(4096, "😀")])).toEqual([4096]);
});

test("warningHeaders: beyond, each is cut to 256 characters, earlier ones too", () => {
  expect(lengths([text(4000), text(97, "b"), text(300, "c"), "d"])).toEqual([256, 97, 256, 1]);
});

test("warningHeaders: when there is no room for more, they are dropped", () => {
  expect(lengths(numbered(40, 300))).toEqual(Array(16).fill(256));
  expect(lengths(numbered(40, 200))).toEqual(Array(21).fill(200));
  expect(lengths([text(5000), ...numbered(40, 256)])).toEqual(Array(16).fill(256));
});
