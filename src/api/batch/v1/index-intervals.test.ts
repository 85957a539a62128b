import { expect, test } from "vitest";
import { countIndexes, firstSharedIndex } from "./index-intervals.ts";

test.each([
  ["", 0],
  ["0", 1],
  ["0,2-4", 4],
  ["0-1,2-9", 10],
])("countIndexes: %j holds %i", (text, count) => {
  expect(countIndexes(text, 10)).toBe(count);
});

test.each([
  ["10", 'too large index: "10"'],
  ["1-10", 'too large index: "10"'],
  ["3-3", "non-increasing order, previous: 3, current: 3"],
  ["4,2", "non-increasing order, previous: 4, current: 2"],
  ["1-4,4-5", "non-increasing order, previous: 4, current: 4"],
  ["1,", 'cannot convert string to integer for index: ""'],
  ["-1", 'cannot convert string to integer for index: ""'],
  [
    "1-2-3",
    "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
  ],
])("countIndexes: %j is refused", (text, message) => {
  expect(() => countIndexes(text, 10)).toThrow(new SyntaxError(message));
});

test.each([
  ["0-2,5", "3-4,6", undefined],
  ["0-2,5-7", "4,6-8", 6],
  ["3", "0-9", 3],
  ["x,3", "y,3", 3],
  ["", "1", undefined],
])("firstSharedIndex: of %j and %j", (a, b, index) => {
  expect(firstSharedIndex(a, b, 10)).toBe(index);
});
