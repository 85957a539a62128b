import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { estimateList, estimateWrite, type ListFacts } from "./work-estimate.ts";

const list: ListFacts = {
  ...{ isWatch: false, isSingle: false, isCached: true, hasSelector: false },
  ...{ resourceVersion: "", sendInitialEvents: false, limit: 0 },
  stored: { count: 100, averageBytes: 5000 },
};

each<[what: string, facts: Partial<ListFacts>, levelSeats: number | undefined, seats: number]>([
  ["a seat for 100 kB", {}, undefined, 5],
  ["of one object", { isSingle: true }, undefined, 1],
  ["of few objects", { stored: { count: 3, averageBytes: 5000 } }, undefined, 1],
  ["of a kind that is not known", { stored: undefined }, undefined, 1],
  ["of a page", { limit: 50 }, undefined, 3],
  [
    "from the cache, which streams",
    { stored: { count: 10_000, averageBytes: 5000 } },
    undefined,
    10,
  ],
  [
    "from the store, which does not",
    { isCached: false, stored: { count: 1000, averageBytes: 5000 } },
    undefined,
    50,
  ],
  [
    "of a page from the store with a selector: half of the objects may be read for it",
    { isCached: false, hasSelector: true, limit: 10 },
    undefined,
    3,
  ],
  [
    "never more than 100",
    { isCached: false, stored: { count: 1e6, averageBytes: 5000 } },
    undefined,
    100,
  ],
  ["never more than the level allows", {}, 2, 2],
  ["a watch that begins with a list", { isWatch: true }, undefined, 5],
  ["a watch from a version on", { isWatch: true, resourceVersion: "7" }, undefined, 1],
  [
    "a watch that asks for initial events",
    { isWatch: true, resourceVersion: "7", sendInitialEvents: true },
    undefined,
    5,
  ],
])("estimateList: %s", (_, facts, levelSeats, seats) => {
  expect(estimateList({ ...list, ...facts }, levelSeats).initialSeats).toBe(seats);
});

each<[watchers: number, levelSeats: number | undefined, seats: number, seconds: number]>([
  [9, undefined, 0, 0],
  [10, undefined, 1, 0.005],
  [25, undefined, 3, 0.005],
  [200, undefined, 10, 0.01],
  [200, 2, 2, 0.05],
])("estimateWrite: %d watchers, at most %s seats", (watchers, levelSeats, seats, seconds) => {
  const { initialSeats, finalSeats, finalSeconds } = estimateWrite(watchers, levelSeats);
  expect([initialSeats, finalSeats, finalSeconds]).toEqual([1, seats, seconds]);
});
