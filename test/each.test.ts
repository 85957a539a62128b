import { expect, test } from "vitest";
import { each } from "./each.ts";

const seen: [string, number][] = [];
each<[word: string, size: number]>([
  ["a", 1],
  ["bc", 2],
])("each: %s is a row", (word, size) => {
  seen.push([word, size]);
  expect(word).toHaveLength(size);
});

test("each: every row is run once, in order", () => {
  expect(seen).toEqual([
    ["a", 1],
    ["bc", 2],
  ]);
});
