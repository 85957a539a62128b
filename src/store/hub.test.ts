import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { MemoryStore } from "./memory/memory-store.ts";
import { StoreError, type WatchBatch } from "./store.ts";

const value = new Uint8Array(10);

/** Reads a watch to its end. */
async function readAll(watch: AsyncIterable<WatchBatch>, read: (batch: WatchBatch) => void) {
  for await (const batch of watch) read(batch);
}

test("Hub: one of 1,000 watchers does not read: it gets SlowWatcher, and delays no other", async () => {
  const store = new MemoryStore(new VirtualClock());
  const [commits, buffer, readers] = [300, 100, 999];
  const slow = store.watch("/a/", { from: 1, buffer })[Symbol.asyncIterator]();
  const first = slow.next();
  const seen = Array.from({ length: readers }, () => ({ count: 0, last: 1 }));
  const faults: string[] = [];
  const ends = seen.map((one) =>
    readAll(store.watch("/a/", { from: 1, buffer }), ({ revision }) => {
      if (revision !== one.last + 1) faults.push(`${revision} after ${one.last}`);
      one.last = revision;
      one.count++;
    }),
  );
  for (let n = 0; n < commits; n++) {
    await store.commit([{ type: "put", key: `/a/${n % 7}`, value }]);
    // All others receive it at once.
    await Promise.resolve();
  }
  expect(await first).toMatchObject({ value: { revision: 2 } });
  // Its buffer is dropped: the next read fails with the last revision.
  const fault = await slow.next().catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(StoreError);
  expect(fault).toMatchObject({ code: "SlowWatcher", revision: 2 });
  await store.close();
  await Promise.allSettled(ends);
  expect(faults).toEqual([]);
  expect(new Set(seen.map(({ count }) => count))).toEqual(new Set([commits]));
});

test("Hub: a watcher may lag behind within its buffer, and then reads everything", async () => {
  const store = new MemoryStore(new VirtualClock());
  const watch = store.watch("/a/", { from: 1, buffer: 100 })[Symbol.asyncIterator]();
  const first = watch.next();
  for (let n = 0; n < 101; n++) await store.commit([{ type: "put", key: "/a/1", value }]);
  const revisions = [(await first).value?.revision];
  for (let n = 0; n < 100; n++) revisions.push((await watch.next()).value?.revision);
  expect(revisions).toEqual(Array.from({ length: 101 }, (_, n) => n + 2));
  await store.close();
});

test("Hub: watchers of the same prefix share batches, and those with progress get all", async () => {
  const store = new MemoryStore(new VirtualClock());
  const batches: [name: string, batch: WatchBatch][] = [];
  const subscribe = (name: string, prefix: string, progress = false) =>
    store.subscribe(
      prefix,
      { from: 1, progress },
      { batch: (batch) => void batches.push([name, batch]), end: () => undefined },
    );
  const stop = subscribe("one", "/a/");
  subscribe("two", "/a/");
  subscribe("progress", "/a/", true);
  subscribe("other", "/b/");
  await Promise.resolve();
  await store.commit([{ type: "put", key: "/a/1", value }]);
  const [one, two, progress] = batches.map(([, batch]) => batch);
  expect(batches.map(([name]) => name)).toEqual(["one", "two", "progress"]);
  expect([two === one, progress === one]).toEqual([true, true]);
  stop();
  await store.commit([{ type: "put", key: "/b/1", value }]);
  await store.commit([{ type: "put", key: "/a/1", value }]);
  expect(batches.slice(3).map(([name, batch]) => [name, batch.revision])).toEqual([
    ["progress", 3],
    ["other", 3],
    ["two", 4],
    ["progress", 4],
  ]);
  await store.close();
});

test("Hub: a store without commits can be watched from before its first revision", async () => {
  const store = new MemoryStore(new VirtualClock());
  const seen: number[] = [];
  store.subscribe(
    "",
    { from: 0 },
    { batch: ({ revision }) => void seen.push(revision), end: () => undefined },
  );
  const first = store.watch("", { from: 0 })[Symbol.asyncIterator]().next();
  await Promise.resolve();
  await store.commit([{ type: "put", key: "/a", value }]);
  expect([(await first).value?.revision, seen]).toEqual([2, [2]]);
  await store.close();
});
