import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import type { Op, Store } from "../store.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-recover-"));
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

for (const seed of [1, 2, 3, 4]) {
  test(`LmdbStore: restarted again and again, its history equals that of a memory store (seed ${seed})`, async () => {
    const path = join(root, `${directories++}`);
    const clock = new VirtualClock();
    const random = new SeededRandom(seed);
    const memory = new MemoryStore(clock);
    for (let opening = 0; opening < 6; opening++) {
      const store = await openLmdbStore({ path, clock });
      const both = [memory, store];
      await commitBoth(both, random, 60);
      // The compacted revision may be before or after the restart, and the history may have been read
      // before.
      if (random.next() < 0.3) expect(await everything(store)).toEqual(await everything(memory));
      if (random.next() < 0.5) {
        const revision = await chooseRevision(memory, random);
        for (const each of both) await each.compact(revision);
      }
      if (random.next() < 0.7) expect(await everything(store)).toEqual(await everything(memory));
      await store.close();
      const { violation, leftOver } = await verifyLmdbStore(path);
      expect([violation, leftOver]).toEqual([undefined, 0]);
    }
    const last = await openLmdbStore({ path, clock });
    expect(await last.list("")).toEqual(await memory.list(""));
    expect(await everything(last)).toEqual(await everything(memory));
    await last.close();
  });
}

test("LmdbStore: a watch from before a restart continues with later commits", async () => {
  const path = join(root, `${directories++}`);
  const clock = new VirtualClock();
  const store = await openLmdbStore({ path, clock });
  for (const text of ["1", "2", "3"]) await store.commit([put("/a", text)]);
  await store.close();
  const again = await openLmdbStore({ path, clock });
  await again.commit([put("/a", "4")]);
  const watch = again.watch("/", { from: 2 })[Symbol.asyncIterator]();
  const seen: unknown[] = [];
  for (let n = 0; n < 3; n++) seen.push((await watch.next()).value.revision);
  await again.commit([{ type: "delete", key: "/a" }]);
  const { revision, events } = (await watch.next()).value;
  await again.close();
  expect([...seen, revision]).toEqual([3, 4, 5, 6]);
  expect(events[0].previous).toMatchObject({ createRevision: 2, modRevision: 5, version: 4 });
});

test("LmdbStore: the changes of a revision not read since the restart are unknown after its compaction", async () => {
  const path = join(root, `${directories++}`);
  const clock = new VirtualClock();
  const store = await openLmdbStore({ path, clock });
  for (const text of ["1", "2", "3"]) await store.commit([put("/a", text)]);
  await store.compact(2);
  expect(store.view().compactedEvents()).toHaveLength(1);
  await store.close();
  const again = await openLmdbStore({ path, clock });
  await again.compact(3);
  expect(again.view().compactedEvents()).toBeUndefined();
  await again.commit([put("/a", "4")]);
  await again.compact(5);
  expect(again.view().compactedEvents()).toHaveLength(1);
  await again.close();
});

test("LmdbStore: any of thousands of old revisions can be read after a restart", async () => {
  const path = join(root, `${directories++}`);
  const clock = new VirtualClock();
  const random = new SeededRandom(5);
  const memory = new MemoryStore(clock);
  const store = await openLmdbStore({ path, clock });
  await commitBoth([memory, store], random, 3500);
  await Promise.all([memory.compact(500), store.compact(500)]);
  await store.close();
  const again = await openLmdbStore({ path, clock });
  const newest = await again.currentRevision();
  await commitBoth([memory, again], random, 1100);
  for (const revision of [newest, 500, 1023, 1024, 1025, 2048, newest - 1, newest + 1, 3000]) {
    expect(await again.list("", { revision })).toEqual(await memory.list("", { revision }));
  }
  await again.close();
});

test("LmdbStore: reading history during a compaction disturbs nothing", async () => {
  const path = join(root, `${directories++}`);
  const clock = new VirtualClock();
  const first = await openLmdbStore({ path, clock });
  for (let n = 0; n < 50; n++) await first.commit([put(`/${n % 5}`, `${n}`)]);
  await first.close();
  // The compaction's mark is written in one of these turns.
  for (let turns = 0; turns < 8; turns++) {
    const store = await openLmdbStore({ path, clock });
    const revision = 10 + turns * 4;
    let compacted = false;
    const compaction = store.compact(revision).then(() => {
      compacted = true;
    });
    for (let turn = 0; turn < turns && !compacted; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { entries } = await store.list("", { revision: revision + 1 });
    await compaction;
    await store.close();
    const { violation, leftOver } = await verifyLmdbStore(path);
    expect([entries.length, violation, leftOver]).toEqual([5, undefined, 0]);
  }
});

/** Concurrent commits: revisions have the order of the calls, and they share syncs. */
async function commitBoth(
  stores: readonly Store[],
  random: SeededRandom,
  count: number,
): Promise<void> {
  const commits = Array.from({ length: count }, () => chooseOps(random));
  await Promise.all(stores.flatMap((store) => commits.map((ops) => store.commit(ops))));
}

function chooseOps(random: SeededRandom): Op[] {
  const keys = new Set(
    Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => {
      const n = Math.floor(random.next() * 12);
      // Strings whose order differs from that of their UTF-8 bytes.
      return n < 10 ? `/${n}` : n === 10 ? "/\u{10000}" : "/\uffee";
    }),
  );
  return Array.from(keys, (key) =>
    random.next() < 0.3 ? { type: "delete", key } : put(key, `${random.next()}`),
  );
}

async function chooseRevision(store: MemoryStore, random: SeededRandom): Promise<number> {
  const oldest = await oldestKept(store);
  const newest = await store.currentRevision();
  return oldest + 1 + Math.floor(random.next() * (newest - oldest));
}

async function oldestKept(store: Store): Promise<number> {
  try {
    await store.list("", { revision: 1 });
    return 1;
  } catch (error) {
    return (error as { readonly revision: number }).revision;
  }
}

/** The state at every revision, and the events of a watch from the oldest on. */
async function everything(store: Store): Promise<unknown> {
  const revision = await store.currentRevision();
  const from = await oldestKept(store);
  const lists = [];
  for (let at = from; at <= revision; at++) lists.push(await store.list("", { revision: at }));
  const batches = [];
  if (from < revision) {
    for await (const batch of store.watch("", { from })) {
      batches.push(batch);
      if (batch.revision === revision) break;
    }
  }
  return { from, lists, batches };
}

function put(key: string, value: string): Op {
  return { type: "put", key, value: new TextEncoder().encode(value) };
}
