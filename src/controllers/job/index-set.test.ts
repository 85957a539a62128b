import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  absentIndexes,
  formatIndexes,
  hasIndex,
  parseIndexes,
  sharedSize,
  sizeOf,
  union,
  withIndexes,
} from "./index-set.ts";

const of = (text: string) => parseIndexes(text, 1000);

each<[text: string, completions: number, written: string, size: number]>([
  ["", 5, "", 0],
  ["0,2-4", 9, "0,2-4", 4],
  ["0-1", 9, "0,1", 2],
  ["0,1,2", 9, "0-2", 3],
  ["0,2-9", 5, "0,2-4", 4],
  ["0,7-9", 5, "0", 1],
  ["x,1,2-y,4", 9, "1,4", 2],
])("parseIndexes: %j of %i is %j, %i indexes", (text, completions, written, size) => {
  const set = parseIndexes(text, completions);
  expect([formatIndexes(set), sizeOf(set)]).toEqual([written, size]);
});

each<[a: string, b: string, both: string, shared: number]>([
  ["", "", "", 0],
  ["1", "2", "1,2", 0],
  ["1-3,7", "4,9", "1-4,7,9", 0],
  ["1-9", "2-3,5", "1-9", 3],
  ["0,2-4,8-9", "3-8", "0,2-9", 3],
])("union and sharedSize: %j and %j are %j and share %i", (a, b, both, shared) => {
  expect(formatIndexes(union(of(a), of(b)))).toBe(both);
  expect(sharedSize(of(a), of(b))).toBe(shared);
});

test("withIndexes: indexes come in any order", () => {
  expect(formatIndexes(withIndexes(of("3-5"), [9, 2, 3, 0]))).toBe("0,2-5,9");
});

test("hasIndex: as if all indexes were listed", () => {
  const set = of("0,2-4,7,9-12");
  const all = Array.from({ length: 15 }, (_, i) => i).filter((i) => hasIndex(set, i));
  expect(all).toEqual([0, 2, 3, 4, 7, 9, 10, 11, 12]);
});

each<[set: string, count: number, completions: number, absent: number[]]>([
  ["", 3, 2, [0, 1]],
  ["", 2, 9, [0, 1]],
  ["0,2-4", 2, 9, [1, 5]],
  ["0-8", 2, 9, []],
  ["1,3", 9, 5, [0, 2, 4]],
  ["1", 0, 5, []],
])(
  "absentIndexes: those outside of %j, %i at most, below %i",
  (set, count, completions, absent) => {
    expect(absentIndexes(of(set), count, completions)).toEqual(absent);
  },
);
