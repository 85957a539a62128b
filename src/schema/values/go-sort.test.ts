import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { goSorted } from "./go-sort.ts";

const order = (keys: readonly number[]): readonly number[] =>
  goSorted(
    keys.map((key, at) => ({ key, at })),
    (a, b) => a.key < b.key,
  ).map(({ at }) => at);

// As Go 1.26 sorts them.
each<[name: string, keys: readonly number[], sorted: readonly number[]]>([
  ["none", [], []],
  ["few", [2, 1, 2, 1, 0], [4, 1, 3, 0, 2]],
  [
    "equal items in turn",
    [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
    [8, 12, 2, 0, 4, 10, 6, 3, 7, 9, 5, 11, 1],
  ],
  [
    "up and down",
    [0, 1, 2, 3, 4, 5, 7, 6, 5, 4, 3, 2, 1],
    [0, 1, 12, 2, 11, 3, 10, 9, 4, 8, 5, 7, 6],
  ],
  ["down", [2, 2, 2, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0], [9, 12, 11, 10, 6, 5, 7, 8, 4, 0, 3, 2, 1]],
  ["any", [0, 0, 1, 0, 1, 2, 0, 2, 2, 0, 2, 1, 1], [6, 1, 3, 0, 9, 2, 4, 11, 12, 5, 7, 8, 10]],
])("goSorted: %s", (_, keys, sorted) => {
  expect(order(keys)).toEqual(sorted);
});

test("an order that makes all pivots bad costs as many comparisons as in Go", () => {
  expect([20, 60, 200, 500].map(comparisonsOfAdversary)).toEqual([68, 505, 1628, 3672]);
});

/** Decides on the values of items while they are compared, so that pivots are always among the least. */
function comparisonsOfAdversary(count: number): number {
  const undecided = count - 1;
  const values = new Array<number>(count).fill(undecided);
  let [decided, comparisons, candidate] = [0, 0, 0];
  const isLess = (a: number, b: number): boolean => {
    comparisons++;
    const areBothUndecided = values[a] === undecided && values[b] === undecided;
    if (areBothUndecided) values[a === candidate ? a : b] = decided++;
    if (values[a] === undecided) candidate = a;
    else if (values[b] === undecided) candidate = b;
    return (values[a] ?? 0) < (values[b] ?? 0);
  };
  goSorted([...values.keys()], isLess);
  return comparisons;
}
