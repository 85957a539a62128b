import { expect } from "vitest";
import type { Store, WatchBatch } from "../store.ts";
import {
  brief,
  failure,
  numbers,
  outcomeOf,
  put,
  remove,
  type SuiteTest,
  showBatch,
  take,
} from "./harness-suite.ts";

/** What etcd's own robustness tests found wrong in etcd over the years, as far as no crash is needed. */
export function robustnessSuite(suiteTest: SuiteTest): void {
  suiteTest(
    "the revision never decreases, even when everything was deleted and compacted",
    async (store) => {
      await store.commit([put("/a", "1")]);
      await store.commit([remove("/a")]);
      await store.compact(3);
      const outcomes = [await store.currentRevision(), await store.commit([put("/a", "2")])];
      const entry = await store.get("/a");
      expect([...outcomes, entry?.createRevision, entry?.version]).toEqual([
        3,
        { ok: true, revision: 4 },
        4,
        1,
      ]);
    },
  );

  suiteTest("no change is lost at a compaction, whichever revision it compacts", async (store) => {
    const commits = [
      [put("/a", "1"), put("/b", "1")],
      [remove("/a")],
      [put("/a", "2"), remove("/b")],
      [remove("/a"), put("/c", "1")],
      [put("/b", "2")],
      [remove("/b"), remove("/c")],
      [put("/a", "3")],
    ];
    for (const commit of commits) await store.commit(commit);
    const last = commits.length + 1;
    const before = (await take(store.watch("/", { from: 1 }), commits.length)).map(showBatch);
    const lists = await Promise.all(numbers(last + 1).map((revision) => keysAt(store, revision)));
    for (let revision = 2; revision < last; revision++) {
      await store.compact(revision);
      const rest = await take(store.watch("/", { from: revision }), last - revision);
      const keys = await keysAt(store, revision);
      const older = await outcomeOf(take(store.watch("/", { from: revision - 1 }), 1));
      expect([rest.map(showBatch), keys, older], `compacted at ${revision}`).toEqual([
        before.slice(revision - 1),
        lists[revision],
        `Compacted ${revision}`,
      ]);
    }
  });

  suiteTest("a watch that is resumed again and again never goes back", async (store) => {
    const writing = writeMany(store, 300);
    const seen: number[] = [];
    for (let from = 1; seen.length < 300; from = seen.at(-1) ?? 1) {
      const count = Math.min(1 + (seen.length % 7), 300 - seen.length);
      const batches = await take(store.watch("/", { from }), count);
      seen.push(...batches.map(({ revision }) => revision));
    }
    await writing;
    expect(seen).toEqual(numbers(300).map((n) => n + 2));
  });

  suiteTest(
    "a watcher that gets no processor time misses nothing, or learns from which revision to resume",
    async (store) => {
      const watch = store.watch("/", { from: 1, buffer: 20 })[Symbol.asyncIterator]();
      const seen: number[] = [];
      const read = async (): Promise<void> => {
        const { value } = (await watch.next()) as IteratorYieldResult<WatchBatch>;
        seen.push(value.revision);
      };
      const first = read();
      await writeMany(store, 400);
      await first;
      // It reads on until it is told; nothing is left out before.
      const { code, revision } = await failure(forever(read));
      expect([code, revision]).toEqual(["SlowWatcher", seen.at(-1)]);
      const rest = await take(store.watch("/", { from: revision, buffer: 20 }), 401 - revision);
      seen.push(...rest.map((batch) => batch.revision));
      expect(seen).toEqual(numbers(400).map((n) => n + 2));
    },
  );

  suiteTest(
    "a watcher that gets no processor time during a compaction misses nothing without an error",
    async (store) => {
      await writeMany(store, 600);
      const seen: number[] = [];
      const reading = (async () => {
        for await (const { revision } of store.watch("/", { from: 1, buffer: 1 })) {
          seen.push(revision);
          if (seen.length === 1) await store.compact(601);
          if (seen.length === 2) await store.commit([put("/late", "1")]);
          if (revision === 602) break;
        }
        return "all was seen";
      })();
      const outcome = await outcomeOf(reading);
      expect(seen).toEqual(numbers(seen.length).map((n) => n + 2));
      const told = ["Compacted 601", `SlowWatcher ${seen.at(-1)}`];
      if (seen.length < 601) expect(told).toContain(outcome);
    },
  );

  suiteTest("a watch never reports progress beyond the events it delivered", async (store) => {
    const writing = writeMany(store, 200);
    const watches = numbers(8).map(async (n) => {
      const events: number[] = [];
      let reached = 1;
      for await (const batch of store.watch(`/${n}/`, { from: 1, progress: true })) {
        if (batch.revision <= reached) throw new Error(`${batch.revision} came after ${reached}`);
        reached = batch.revision;
        events.push(...batch.events.map(({ revision }) => revision));
        if (reached === 201) break;
      }
      return events;
    });
    const seen = await Promise.all(watches);
    const revisions = await writing;
    const expected = numbers(8).map((n) => revisions.filter((_, index) => index % 8 === n));
    expect(seen).toEqual(expected.map((of) => of.sort((a, b) => a - b)));
  });
}

/** Commits at once, the next under each of eight prefixes in turn; tells at which revisions. */
async function writeMany(store: Store, count: number): Promise<number[]> {
  const commit = (n: number) => store.commit([put(`/${n % 8}/${n % 24}`, `${n}`)]);
  const outcomes = await Promise.all(numbers(count).map(commit));
  return outcomes.map(({ revision }) => revision);
}

async function keysAt(store: Store, revision: number): Promise<string[]> {
  return (await store.list("/", { revision })).entries.map(brief);
}

/** Does it until it fails. */
async function forever(work: () => Promise<void>): Promise<never> {
  for (;;) await work();
}
