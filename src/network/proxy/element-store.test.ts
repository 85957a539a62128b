import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { type ElementChange, ElementStore } from "./element-store.ts";
import type { Elements } from "./elements.ts";

const elements = (entries: Readonly<Record<string, string>>): Elements =>
  new Map([["ip service-ips", new Map(Object.entries(entries))]]);
const none: Elements = new Map();

/** What a store says has changed since it was programmed with some owners' elements. */
function changesOf(
  before: readonly (readonly [string, Elements])[],
  after: readonly (readonly [string, Elements])[],
): readonly Omit<ElementChange, "container">[] {
  const store = new ElementStore();
  for (const [owner, owned] of before) store.set(owner, owned);
  store.programmed();
  for (const [owner, owned] of after) store.set(owner, owned);
  return store.changes().map(({ key, before, after }) => ({ key, before, after }));
}

test("ElementStore: a change is the difference to what is programmed", () => {
  const a = ["a", elements({ k: "1" })] as const;
  expect({
    added: changesOf([], [a]),
    same: changesOf([a], [a]),
    changed: changesOf([a], [["a", elements({ k: "2" })]]),
    removed: changesOf([a], [["a", none]]),
    backAgain: changesOf([a], [["a", elements({ k: "2" })], a]),
    addedAndRemoved: changesOf([], [a, ["a", none]]),
  }).toEqual({
    added: [{ key: "k", before: undefined, after: "1" }],
    same: [],
    changed: [{ key: "k", before: "1", after: "2" }],
    removed: [{ key: "k", before: "1", after: undefined }],
    backAgain: [],
    addedAndRemoved: [],
  });
});

test("ElementStore: of several owners of an element, the first by name has it", () => {
  const [a, b] = [["a", elements({ k: "of a" })] as const, ["b", elements({ k: "of b" })] as const];
  expect({
    later: changesOf([a], [b]),
    earlier: changesOf([b], [a]),
    gone: changesOf([a, b], [["a", none]]),
    otherGone: changesOf([a, b], [["b", none]]),
    bothGone: changesOf(
      [a, b],
      [
        ["a", none],
        ["b", none],
      ],
    ),
  }).toEqual({
    later: [],
    earlier: [{ key: "k", before: "of b", after: "of a" }],
    gone: [{ key: "k", before: "of a", after: "of b" }],
    otherGone: [],
    bothGone: [{ key: "k", before: "of a", after: undefined }],
  });
});

test("ElementStore: changes applied one after the other lead to all elements, for 200 seeds", () => {
  let changed = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = new SeededRandom(seed);
    const below = (limit: number): number => Math.floor(random.next() * limit);
    const store = new ElementStore();
    const kernel = new Map<string, string>();
    store.programmed();
    for (let step = 0; step < 60; step++) {
      const entries = Array.from({ length: below(4) }, () => [`k${below(6)}`, `v${below(3)}`]);
      store.set(
        `owner-${below(4)}`,
        entries.length > 0 ? elements(Object.fromEntries(entries)) : none,
      );
      if (random.next() < 0.5) continue;
      for (const { key, before, after } of store.changes()) {
        changed++;
        expect([seed, kernel.get(key)]).toEqual([seed, before]);
        if (after === undefined) kernel.delete(key);
        else kernel.set(key, after);
      }
      store.programmed();
      expect([seed, ...kernel].sort()).toEqual(
        [seed, ...(store.all().get("ip service-ips") ?? [])].sort(),
      );
    }
  }
  expect(changed).toBeGreaterThan(5000);
});
