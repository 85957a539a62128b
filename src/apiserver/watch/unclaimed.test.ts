import { expect, test } from "vitest";
import type { StoreEvent } from "../../store/store.ts";
import type { StoredEntry } from "../objects/stored.ts";
import { Unclaimed } from "./unclaimed.ts";

const entry = (key: string, modRevision: number): StoredEntry => ({
  key,
  value: new Uint8Array(),
  modRevision,
});
const change = (key: string, revision: number): StoreEvent =>
  ({ key, revision, entry: entry(key, revision) }) as unknown as StoreEvent;

test("Unclaimed: claim returns the entries at one revision, and the changes after it", () => {
  const unclaimed = new Unclaimed(5);
  unclaimed.load(entry("/a/1", 3));
  unclaimed.load(entry("/b/1", 4));
  unclaimed.apply(change("/a/2", 6));
  unclaimed.apply(change("/b/2", 7));
  expect(["/a/1", "/a/2", "/a/3"].map((key) => unclaimed.get(key)?.modRevision)).toEqual([
    3,
    6,
    undefined,
  ]);
  const { entries, events } = unclaimed.claim("/a/");
  expect([entries.map(({ key }) => key), events.map(({ key }) => key)]).toEqual([
    ["/a/1"],
    ["/a/2"],
  ]);
  expect(unclaimed.claim("/a/")).toEqual({ entries: [], events: [] });
  expect(unclaimed.since).toBe(5);
});

test("Unclaimed: keeps the latest of many changes", () => {
  const unclaimed = new Unclaimed(0);
  for (let n = 1; n <= 2001; n++) unclaimed.apply(change(`/a/${n % 3}`, n));
  expect(unclaimed.since).toBe(1000);
  const { entries, events } = unclaimed.claim("/a/");
  expect(entries.map(({ key, modRevision }) => [key, modRevision])).toEqual([
    ["/a/1", 1000],
    ["/a/2", 998],
    ["/a/0", 999],
  ]);
  expect(events).toHaveLength(1001);
});

test("Unclaimed: entries that are put back are known as of that revision", () => {
  const unclaimed = new Unclaimed(0);
  unclaimed.apply(change("/b/1", 1));
  unclaimed.putBack([entry("/a/1", 8)], 9);
  expect(unclaimed.since).toBe(9);
  expect(unclaimed.claim("/").entries.map(({ key }) => key)).toEqual(["/b/1", "/a/1"]);
});
