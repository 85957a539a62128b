import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { type Store, StoreError, type WatchBatch } from "../../store/store.ts";
import { laggingStore } from "../allocation/lagging-store.test-support.ts";
import { removeObject } from "../verbs/delete.ts";
import {
  addressOf,
  configMapKind,
  coreKind,
  openParts,
  write,
} from "../verbs/verb-parts.test-support.ts";
import { type CacheEvent, type ResourceCache, WatchCache } from "./watch-cache.ts";

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

test("ResourceCache: lists the objects of the store in the order of their keys", async () => {
  const parts = await openParts();
  const cache = parts.reader.cache.of(configMapKind);
  for (const name of ["b", "a.b", "a", "a-b"]) await write(parts, configMapKind, name);
  expect(names(cache)).toEqual(["a", "a-b", "a.b", "b"]);
  await removeObject(
    parts,
    addressOf(configMapKind, "a"),
    cache.get(`${prefix}default/a`)?.revision ?? 0,
  );
  expect([
    names(cache),
    names(cache, `${prefix}default/a`),
    names(cache, `${prefix}other/`),
  ]).toEqual([["a-b", "a.b", "b"], ["a-b", "a.b"], []]);
  expect([parts.reader.cache.revision, await parts.reader.store.currentRevision()]).toEqual([6, 6]);
});

test("ResourceCache: changes are numbered, and have the previous object", async () => {
  const parts = await openParts();
  const cache = parts.reader.cache.of(configMapKind);
  await write(parts, configMapKind, "a");
  await write(parts, coreKind("Secret"), "other", { type: "Opaque" });
  await write(parts, configMapKind, "a", { data: { k: "v" } });
  await removeObject(parts, addressOf(configMapKind, "a"), 4);
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
  const parts = await openParts();
  const cache = parts.reader.cache.of(configMapKind);
  const { key } = await write(parts, configMapKind, "a");
  const value = (await parts.reader.store.get(key))?.value ?? new Uint8Array();
  for (let n = 0; n < 3998; n++) await parts.reader.store.commit([{ type: "put", key, value }]);
  expect([cache.firstEvent, cache.oldest, cache.endOfEvents]).toEqual([0, 1, 3999]);
  await parts.reader.store.commit([{ type: "put", key, value }]);
  expect([cache.firstEvent, cache.oldest, cache.endOfEvents]).toEqual([2000, 2001, 4000]);
  expect([cache.eventAt(1999), cache.eventAt(2000)?.revision, cache.eventAfter(2001)]).toEqual([
    undefined,
    2002,
    2000,
  ]);
});

test("WatchCache: reach waits for a revision, but not longer than three seconds", async () => {
  const { cache, store, clock } = await openParts();
  const soon = cache.reach(2);
  await store.commit([{ type: "put", key: "/registry/x", value: new Uint8Array() }]);
  expect(await soon).toEqual(true);
  const never = cache.reach(3);
  await clock.advance(3000);
  expect([await never, clock.pending]).toEqual([false, 0]);
  expect(await cache.fresh()).toEqual(true);
});

test("WatchCache: begins a thousand revisions back, so that watches can be resumed", async () => {
  const first = await openParts();
  const { key } = await write(first, configMapKind, "a");
  const value = (await first.store.get(key))?.value ?? new Uint8Array();
  for (let n = 0; n < 1500; n++) await first.store.commit([{ type: "put", key, value }]);
  const cache = await WatchCache.open(first.store, new VirtualClock(), [configMapKind]);
  const { oldest, endOfEvents } = cache.of(configMapKind);
  expect([cache.revision, oldest, endOfEvents]).toEqual([1502, 502, 1000]);
  cache.close();
});

test("WatchCache: starts at the oldest revision that is not compacted", async () => {
  const first = await openParts();
  for (const name of ["a", "b", "c"]) await write(first, configMapKind, name);
  await first.store.compact(3);
  const cache = await WatchCache.open(first.store, new VirtualClock(), [configMapKind]);
  expect([cache.of(configMapKind).oldest, names(cache.of(configMapKind))]).toEqual([
    3,
    ["a", "b", "c"],
  ]);
  cache.close();
});

test("WatchCache: notifies watchers of changes and of the end", async () => {
  const parts = await openParts();
  const cache = parts.reader.cache.of(configMapKind);
  const seen: string[] = [];
  cache.watchers.add({
    changed: () => void seen.push(`changed ${cache.endOfEvents}`),
    end: (reason) => void seen.push(reason),
  });
  await write(parts, configMapKind, "a");
  await write(parts, coreKind("Secret"), "other", { type: "Opaque" });
  parts.reader.cache.close();
  parts.reader.cache.close();
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

test("WatchCache: a kind that is added later has its stored objects and its history", async () => {
  const clock = new VirtualClock(0);
  const parts = await openParts();
  await write(parts, configMapKind, "a");
  const secrets = coreKind("Secret");
  const cache = await WatchCache.open(parts.reader.store, clock, [secrets]);
  await write(parts, configMapKind, "b");
  expect(names(cache.of(configMapKind))).toEqual([]);
  cache.add(configMapKind);
  const resource = cache.of(configMapKind);
  await write(parts, configMapKind, "c");
  expect([names(resource), resource.oldest, eventsOf(resource, 0)]).toEqual([
    ["a", "b", "c"],
    1,
    [2, 3, 4].map((revision, n) => `${revision} ADDED ${"abc"[n]} after undefined`),
  ]);
});

test("WatchCache: removing a kind ends its watches, and keeps its entries until it is added again", async () => {
  const parts = await openParts();
  const { cache } = parts;
  await write(parts, configMapKind, "a");
  const told: string[] = [];
  cache.of(configMapKind).watchers.add({ changed: () => {}, end: (reason) => told.push(reason) });
  cache.remove(configMapKind);
  expect([told, names(cache.of(configMapKind))]).toEqual([
    ["the resource is no longer served as it was"],
    [],
  ]);
  await parts.reader.store.commit([{ type: "delete", key: `${prefix}default/a` }]);
  cache.add(configMapKind);
  expect(names(cache.of(configMapKind))).toEqual([]);
});

/** A view of a store that can be disconnected, and delivers missed changes when it is connected again. */
function farStore(store: Store): { readonly store: Store; cut(): void; comeBack(): void } {
  let cut = (): void => {};
  let comeBack = (): void => {};
  let failures = 1;
  const subscribe: Store["subscribe"] = (under, options, subscriber) => {
    let from = options.from;
    const batch = (one: WatchBatch): void => {
      from = one.revision;
      subscriber.batch(one);
    };
    const begin = () =>
      store.subscribe(
        under,
        { ...options, from },
        { batch, end: (error) => subscriber.end(error) },
      );
    let stop = begin();
    cut = () => stop();
    comeBack = () => {
      stop = begin();
    };
    return () => stop();
  };
  const list: Store["list"] = async (under, options) => {
    if (options === undefined && failures-- > 0) throw new StoreError("Unavailable", "not yet");
    return store.list(under, options);
  };
  const view = Object.assign(Object.create(store) as Store, {
    subscribe,
    list,
    currentRevision: () => store.currentRevision(),
  });
  return { store: view, cut: () => cut(), comeBack: () => comeBack() };
}

test("WatchCache: changes that were compacted while the store was unreachable are found by a list", async () => {
  const parts = await openParts();
  const at = (name: string) => parts.reader.cache.of(configMapKind).get(`${prefix}default/${name}`);
  for (const name of ["same", "changed", "gone"]) await write(parts, configMapKind, name);
  const far = farStore(parts.reader.store);
  const clock = new VirtualClock();
  const cache = await WatchCache.open(far.store, clock, [configMapKind]);
  const resource = cache.of(configMapKind);
  const from = resource.endOfEvents;
  let told = 0;
  const ends: string[] = [];
  resource.watchers.add({ changed: () => told++, end: (reason) => void ends.push(reason) });
  far.cut();
  await write(parts, configMapKind, "new");
  await write(parts, configMapKind, "changed", { data: { k: "v" } });
  await removeObject(parts, addressOf(configMapKind, "gone"), at("gone")?.revision ?? 0);
  await write(parts, coreKind("Secret"), "other", { type: "Opaque" });
  await parts.reader.store.compact(8);
  far.comeBack();
  // The list fails at first.
  await clock.advance(1000);
  await write(parts, configMapKind, "later");
  expect([names(resource), cache.isFollowing, cache.revision, told, ends]).toEqual([
    ["changed", "later", "new", "same"],
    true,
    9,
    4,
    [],
  ]);
  expect([
    resource.oldest,
    cache.unclaimed("/registry/secrets/default/other")?.modRevision,
  ]).toEqual([8, 8]);
  expect(eventsOf(resource, from)).toEqual([
    "5 ADDED new after undefined",
    "6 MODIFIED changed after 3",
    "8 DELETED gone after 4",
    "9 ADDED later after undefined",
  ]);
  cache.close();
});

test("WatchCache: waiting for a revision requests it from the store, which may not send it otherwise", async () => {
  const own = new MemoryStore(new VirtualClock());
  const { store, lag } = laggingStore(own);
  const cache = await WatchCache.open(store, new VirtualClock(), [configMapKind]);
  lag();
  const { revision } = await own.commit([
    { type: "put", key: "/registry/other", value: new Uint8Array(1) },
  ]);
  const before = cache.revision;
  expect([before < revision, await cache.reach(revision), cache.revision]).toEqual([
    true,
    true,
    revision,
  ]);
});
