import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { SeededRandom } from "../../base/random.ts";
import { PodIds } from "./pod-ids.ts";

const unit = 65_536;
const podIds = (blocks: number, seed = 1): PodIds =>
  new PodIds({ first: 2 * unit, blocks, idsPerPod: unit }, new SeededRandom(seed));

test("PodIds: each pod has its own block, until there are none", () => {
  const ids = podIds(50);
  const given = Array.from({ length: 50 }, (_, i) => ids.allocate(`pod-${i}`));
  expect(new Set(given).size).toBe(50);
  expect(given.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, i) => (2 + i) * unit),
  );
  expect(() => ids.allocate("one-more")).toThrow(
    "could not find an empty slot to allocate a user namespace",
  );
  ids.release("pod-7");
  ids.release("unknown");
  expect(ids.allocate("one-more")).toBe(given[7]);
});

test("PodIds: a block of a pod that runs already is not given to another", () => {
  for (let seed = 1; seed < 50; seed++) {
    const ids = podIds(2, seed);
    ids.record("running", 3 * unit, unit);
    ids.record("running", 3 * unit, unit);
    expect(ids.allocate("new")).toBe(2 * unit);
  }
});

each<[podUid: string, from: number, length: number, message: string]>([
  ["a", 2 * unit, 2 * unit, "wrong user namespace length 131072"],
  ["a", 2 * unit + 1, unit, "wrong user namespace offset specified 131073"],
  ["a", unit, unit, "id 65536 is out of range"],
  ["a", 12 * unit, unit, "id 786432 is out of range"],
  ["a", 5 * unit, unit, 'range picked for pod "a" already taken'],
  ["b", 6 * unit, unit, 'different user namespace range already used by pod "b"'],
])("PodIds: does not record for %s %d, %d", (podUid, from, length, message) => {
  const ids = podIds(10);
  ids.record("b", 5 * unit, unit);
  expect(() => ids.record(podUid, from, length)).toThrow(new Error(message));
});
