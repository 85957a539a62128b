import { expect, test } from "vitest";
import { lineSplitter } from "./line-splitter.ts";

test("line splitter: lines do not depend on the chunks", () => {
  const text = 'a\n"ä€😀"\r\n\n\nlong line\nrest ü';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) {
    const splitter = lineSplitter(1000);
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size)
      lines.push(...splitter.push(bytes.subarray(at, at + size)));
    expect([...lines, splitter.rest()]).toEqual(["a", '"ä€😀"\r', "long line", "rest ü"]);
  }
});

test("line splitter: a line above the limit throws", () => {
  const splitter = lineSplitter(10);
  splitter.push(new Uint8Array(8));
  expect(() => splitter.push(new Uint8Array(8))).toThrow(
    "object to decode was longer than maximum allowed size",
  );
});
