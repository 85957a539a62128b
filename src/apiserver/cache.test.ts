import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { type CacheEvent, type ResourceCache, WatchCache } from "./cache.ts";
import {
  addressOf,
  configMapKind,
  coreKind,
  openRegistry,
  write,
} from "./registry.test-support.ts";
import { remove } from "./registry.ts";

const prefix = "/registry/configmaps/";
const names = (cache: ResourceCache, under = prefix) =>
  Array.from(cache.list(under), ({ object }) => object.metadata.name);
const show = ({ type, revision, object, previous }: CacheEvent) =>
  `${revision} ${type} ${object.object.metadata.name} after ${previous?.revision}`;
const eventsOf = (cache: ResourceCache, from: number) => {
  const events: string[] = [];
  for (let n = from; n < cache.endOfEvents; n++) events.push(show(cache.eventAt(n) as CacheEvent));
  return events;
};

test("ResourceCache: shows what the store holds, in the order of the keys", async () => {
  const registry = await openRegistry();
  const cache = registry.cache.of(configMapKind);
  for (const name of ["b", "a.b", "a", "a-b"]) await write(registry, configMapKind, name);
  expect(names(cache)).toEqual(["a", "a-b", "a.b", "b"]);
  await remove(
    registry,
    addressOf(configMapKind, "a"),
    cache.get(`${prefix}default/a`)?.revision ?? 0,
  );
  expect([
    names(cache),
    names(cache, `${prefix}default/a`),
    names(cache, `${prefix}other/`),
  ]).toEqual([["a-b", "a.b", "b"], ["a-b", "a.b"], []]);
  expect([registry.cache.revision, await registry.store.currentRevision()]).toEqual([6, 6]);
});

test("ResourceCache: changes are numbered, with what was there before", async () => {
  const registry = await openRegistry();
  const cache = registry.cache.of(configMapKind);
  await write(registry, configMapKind, "a");
  await write(registry, coreKind("Secret"), "other", { type: "Opaque" });
  await write(registry, configMapKind, "a", { data: { k: "v" } });
  await remove(registry, addressOf(configMapKind, "a"), 4);
  expect([cache.firstEvent, eventsOf(cache, 0)]).toEqual([
    0,
    ["2 ADDED a after undefined", "4 MODIFIED a after 2", "5 DELETED a after 4"],
  ]);
  expect([0, 1, 2, 3, 4, 5, 9].map((revision) => cache.eventAfter(revision))).toEqual([
    0, 0, 1, 1, 2, 3, 3,
  ]);
  const deleted = cache.eventAt(2)?.object.object;
  expect([deleted?.metadata.resourceVersion, deleted]).toMatchObject(["5", { data: { k: "v" } }]);
});

test("ResourceCache: old changes are forgotten, a bundle at a time", async () => {
  const registry = await openRegistry();
  const cache = registry.cache.of(configMapKind);
  const { key } = await write(registry, configMapKind, "a");
  const value = (await registry.store.get(key))?.value ?? new Uint8Array();
  for (let n = 0; n < 3998; n++) await registry.store.commit([{ type: "put", key, value }]);
  expect([cache.firstEvent, cache.oldest, cache.endOfEvents]).toEqual([0, 1, 3999]);
  await registry.store.commit([{ type: "put", key, value }]);
  expect([cache.firstEvent, cache.oldest, cache.endOfEvents]).toEqual([2000, 2001, 4000]);
  expect([cache.eventAt(1999), cache.eventAt(2000)?.revision, cache.eventAfter(2001)]).toEqual([
    undefined,
    2002,
    2000,
  ]);
});

test("WatchCache: reach waits for a revision, but not longer than three seconds", async () => {
  const { cache, store, clock } = await openRegistry();
  const soon = cache.reach(2);
  await store.commit([{ type: "put", key: "/registry/x", value: new Uint8Array() }]);
  expect(await soon).toEqual(true);
  const never = cache.reach(3);
  await clock.advance(3000);
  expect([await never, clock.pending]).toEqual([false, 0]);
  expect(await cache.fresh()).toEqual(true);
});

test("WatchCache: begins a thousand revisions back, so that watches can be resumed", async () => {
  const first = await openRegistry();
  const { key } = await write(first, configMapKind, "a");
  const value = (await first.store.get(key))?.value ?? new Uint8Array();
  for (let n = 0; n < 1500; n++) await first.store.commit([{ type: "put", key, value }]);
  const cache = await WatchCache.open(first.store, new VirtualClock(), [configMapKind]);
  const { oldest, endOfEvents } = cache.of(configMapKind);
  expect([cache.revision, oldest, endOfEvents]).toEqual([1502, 502, 1000]);
  cache.close();
});

test("WatchCache: begins at what is left where the past was compacted", async () => {
  const first = await openRegistry();
  for (const name of ["a", "b", "c"]) await write(first, configMapKind, name);
  await first.store.compact(3);
  const cache = await WatchCache.open(first.store, new VirtualClock(), [configMapKind]);
  expect([cache.of(configMapKind).oldest, names(cache.of(configMapKind))]).toEqual([
    3,
    ["a", "b", "c"],
  ]);
  cache.close();
});

test("WatchCache: watchers are told of changes, and of the end", async () => {
  const registry = await openRegistry();
  const cache = registry.cache.of(configMapKind);
  const seen: string[] = [];
  cache.watchers.add({
    changed: () => void seen.push(`changed ${cache.endOfEvents}`),
    end: (reason) => void seen.push(reason),
  });
  await write(registry, configMapKind, "a");
  await write(registry, coreKind("Secret"), "other", { type: "Opaque" });
  registry.cache.close();
  registry.cache.close();
  expect(seen).toEqual(["changed 1", "the server is shutting down"]);
});

test("WatchCache: when the store ends, so do the watchers", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  const cache = await WatchCache.open(store, clock, [configMapKind]);
  const ends: string[] = [];
  cache
    .of(configMapKind)
    .watchers.add({ changed: () => {}, end: (reason) => void ends.push(reason) });
  await store.close();
  expect(ends.length).toEqual(1);
});

test("WatchCache: a kind that comes later has what the store holds of it already, and its history", async () => {
  const clock = new VirtualClock(0);
  const registry = await openRegistry();
  await write(registry, configMapKind, "a");
  const secrets = coreKind("Secret");
  const cache = await WatchCache.open(registry.store, clock, [secrets]);
  await write(registry, configMapKind, "b");
  expect(names(cache.of(configMapKind))).toEqual([]);
  cache.add(configMapKind);
  const resource = cache.of(configMapKind);
  await write(registry, configMapKind, "c");
  expect([names(resource), resource.oldest, eventsOf(resource, 0)]).toEqual([
    ["a", "b", "c"],
    1,
    [2, 3, 4].map((revision, n) => `${revision} ADDED ${"abc"[n]} after undefined`),
  ]);
});

test("WatchCache: who watches a kind that goes is told, and what it had is kept for when it comes again", async () => {
  const registry = await openRegistry();
  const { cache } = registry;
  await write(registry, configMapKind, "a");
  const told: string[] = [];
  cache.of(configMapKind).watchers.add({ changed: () => {}, end: (reason) => told.push(reason) });
  cache.remove(configMapKind);
  expect([told, names(cache.of(configMapKind))]).toEqual([
    ["the resource is no longer served as it was"],
    [],
  ]);
  await registry.store.commit([{ type: "delete", key: `${prefix}default/a` }]);
  cache.add(configMapKind);
  expect(names(cache.of(configMapKind))).toEqual([]);
});
