import { expect, test } from "vitest";
import { SeededRandom } from "../base/random.ts";
import { OrderedMap } from "./ordered-map.ts";

/** A reference implementation. */
class SortedArray {
  entries: [number, string][] = [];

  set(key: number, value: string): void {
    this.delete(key);
    this.entries.push([key, value]);
    this.entries.sort(([a], [b]) => a - b);
  }

  delete(key: number): void {
    this.entries = this.entries.filter(([each]) => each !== key);
  }

  deleteBefore(key: number): void {
    this.entries = this.entries.filter(([each]) => each >= key);
  }
}

/** Sizes that need one, two and three levels. */
for (const [keys, steps] of [
  [40, 2000],
  [400, 4000],
  [3000, 8000],
] as const) {
  test(`OrderedMap: with up to ${keys} keys it equals a sorted array`, () => {
    const random = new SeededRandom(keys);
    const pick = (): number => Math.floor(random.next() * keys);
    const map = new OrderedMap<number, string>();
    const model = new SortedArray();
    const snapshots: [OrderedMap<number, string>, [number, string][]][] = [];
    for (let step = 0; step < steps; step++) {
      // It grows, shrinks to almost nothing, and grows again.
      const growing = step % (steps / 2) < steps / 4;
      const key = pick();
      if (random.next() < (growing ? 0.9 : 0.1))
        both(map, model, (each) => each.set(key, `${step}`));
      else both(map, model, (each) => each.delete(key));
      if (step % 500 === 499) both(map, model, (each) => each.deleteBefore(Math.floor(key / 10)));
      if (step % 300 === 0) snapshots.push([map.snapshot(), model.entries]);
      if (step % 50 === 0) compare(map, model.entries, pick());
    }
    for (const [snapshot, entries] of snapshots) compare(snapshot, entries, pick());
  });
}

test("OrderedMap: a snapshot and its origin do not see each other's writes", () => {
  const origin = new OrderedMap<string, number>();
  for (const key of ["a", "b", "c"]) origin.set(key, 1);
  const copy = origin.snapshot();
  origin.set("a", 2);
  copy.set("b", 3);
  copy.delete("c");
  expect([values(origin, ""), values(copy, "")]).toEqual([
    [2, 1, 1],
    [1, 3],
  ]);
});

test("OrderedMap: deleteBefore keeps the rest of a large map", () => {
  const map = new OrderedMap<number, number>();
  for (let key = 0; key < 10_000; key++) map.set(key, key);
  map.deleteBefore(9_990);
  expect([map.size, values(map, 0)]).toEqual([10, Array.from({ length: 10 }, (_, n) => 9_990 + n)]);
});

test("OrderedMap: a key set below its node's first one is found after the node is merged", () => {
  const map = new OrderedMap<number, number>();
  // Full nodes: leaves of 32 keys, branches of 32 leaves.
  for (let n = 0; n < 3072; n++) map.set(n * 10, n);
  const remove = (from: number, to: number): void => {
    for (let n = from; n < to; n++) map.delete(n * 10);
  };
  remove(1024, 1056);
  map.set(10_300, -1);
  // Leaves few enough leaves in the first two branches for one.
  remove(256, 1024);
  remove(1248, 2048);
  expect([map.get(10_300), map.firstFrom(10_300), map.countBefore(10_301)]).toEqual([-1, -1, 257]);
});

test("OrderedMap: an emptied map can be used again", () => {
  const map = new OrderedMap<number, number>();
  for (let key = 0; key < 100; key++) map.set(key, key);
  map.deleteBefore(1000);
  const empty = [map.size, values(map, 0), map.firstFrom(0)];
  map.set(5, 5);
  expect([empty, map.size, map.get(5)]).toEqual([[0, [], undefined], 1, 5]);
});

function both(
  map: OrderedMap<number, string>,
  model: SortedArray,
  write: (each: OrderedMap<number, string> | SortedArray) => void,
): void {
  write(map);
  write(model);
}

function compare(map: OrderedMap<number, string>, entries: [number, string][], at: number): void {
  const from = entries.filter(([key]) => key >= at).map(([, value]) => value);
  const found = {
    size: map.size,
    all: values(map, -1),
    from: values(map, at),
    first: map.firstFrom(at),
    get: map.get(at),
    before: map.countBefore(at),
  };
  expect(found).toEqual({
    size: entries.length,
    all: entries.map(([, value]) => value),
    from,
    first: from[0],
    get: entries.find(([key]) => key === at)?.[1],
    before: entries.length - from.length,
  });
}

function values<K extends string | number, V>(map: OrderedMap<K, V>, from: K): V[] {
  const found: V[] = [];
  map.forEachFrom(from, (value) => found.push(value) > 0);
  return found;
}

for (const count of [0, 1, 24, 25, 32, 33, 600, 30_000]) {
  test(`OrderedMap: built from ${count} sorted keys it equals one set key by key`, () => {
    const keys = Array.from({ length: count }, (_, n) => n * 2);
    const map = OrderedMap.fromSorted(
      keys,
      keys.map((key) => `${key}`),
    );
    const copy = map.snapshot();
    const seen: string[] = [];
    copy.forEachFrom(0, (value) => seen.push(value) > 0);
    const counts = keys.map((key) => map.countBefore(key + 1));
    // It can be written anywhere.
    for (const key of keys) map.set(key + 1, "new");
    for (const key of keys) map.delete(key);
    expect([copy.size, map.size, seen]).toEqual([count, count, keys.map((key) => `${key}`)]);
    expect(counts).toEqual(keys.map((_, n) => n + 1));
    expect(keys.every((key) => map.get(key) === undefined && map.get(key + 1) === "new")).toBe(
      true,
    );
  });
}
