import { expect, test } from "vitest";
import { SeededRandom } from "../random.ts";
import { Heap } from "./heap.ts";

interface Item {
  rank: number;
}

function drain(heap: Heap<Item>): number[] {
  const ranks: number[] = [];
  for (let item = heap.pop(); item; item = heap.pop()) ranks.push(item.rank);
  return ranks;
}

test.each([
  { ranks: [] },
  { ranks: [1] },
  { ranks: [3, 1, 2] },
  { ranks: [5, 4, 3, 2, 1, 0] },
  { ranks: [2, 2, 1, 1] },
])("heap: returns $ranks in order", ({ ranks }) => {
  const heap = new Heap<Item>((a, b) => a.rank < b.rank);
  for (const rank of ranks) heap.push({ rank });
  expect(drain(heap)).toEqual(ranks.toSorted((a, b) => a - b));
});

test("heap: stays in order when items are removed and moved in the middle", () => {
  const random = new SeededRandom(1);
  const heap = new Heap<Item>((a, b) => a.rank < b.rank);
  const items = Array.from({ length: 200 }, () => ({ rank: Math.floor(random.next() * 100) }));
  for (const item of items) heap.push(item);
  for (const item of items.slice(0, 50)) heap.delete(item);
  for (const item of items.slice(50, 100)) {
    item.rank = Math.floor(random.next() * 100);
    heap.update(item);
  }
  const left = items.slice(50).map((item) => item.rank);
  expect(drain(heap)).toEqual(left.toSorted((a, b) => a - b));
});

test("heap: an item that is pushed twice is in the heap once, in its new place", () => {
  const heap = new Heap<Item>((a, b) => a.rank < b.rank);
  const item = { rank: 1 };
  heap.push(item);
  heap.push({ rank: 2 });
  item.rank = 3;
  heap.push(item);
  expect([heap.size, heap.has(item), drain(heap), heap.delete(item)]).toEqual([
    2,
    true,
    [2, 3],
    false,
  ]);
});
