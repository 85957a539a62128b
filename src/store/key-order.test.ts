import { expect, test } from "vitest";
import { prefixEnd, sortKey } from "./key-order.ts";

const samples = [
  "",
  "/",
  "/a",
  "/a/",
  "/ab",
  "/é",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "a\uffffb",
  "a\u{1f600}b",
];

test("sortKey: sort keys have the order of the keys' UTF-8 bytes", () => {
  const bySortKey = [...samples].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const byBytes = [...samples].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(bySortKey).toEqual(byBytes);
});

test("sortKey: different keys have different sort keys", () => {
  expect(new Set(samples.map(sortKey)).size).toBe(samples.length);
});

for (const key of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
  test(`sortKey: ${JSON.stringify(key)} is rejected`, () => {
    expect(() => sortKey(key)).toThrow("is not well-formed Unicode");
  });
}

for (const [prefix, end] of [
  ["", undefined],
  ["/a", "/b"],
  ["/a\uffff", "/b"],
  ["\uffff\uffff", undefined],
  ["/", "0"],
] as const) {
  test(`prefixEnd: of ${JSON.stringify(prefix)}`, () => {
    expect(prefixEnd(prefix)).toBe(end);
  });
}
