import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Op } from "../store.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";
import { startWritingProcess } from "./writing-process.test-support.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-compaction-"));
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("LmdbStore: a compaction removes some records with each group, and delays no commit", async () => {
  const path = newPath();
  const store = await superseded(path, 20_000);
  let done = false;
  const compaction = store.compact(await store.currentRevision()).then(() => {
    done = true;
  });
  let commits = 0;
  while (!done) {
    await store.commit([put("/meanwhile")]);
    commits++;
  }
  await compaction;
  await store.close();
  const { records, leftOver, violation } = await verifyLmdbStore(path);
  // 20,000 records at 400 with each.
  expect(commits).toBeGreaterThan(40);
  expect([records - commits, leftOver, violation]).toEqual([200, 0, undefined]);
});

test("LmdbStore: close does not wait for a compaction, and the next one removes the rest", async () => {
  const path = newPath();
  const store = await superseded(path, 20_000);
  const revision = await store.currentRevision();
  const compaction = store.compact(revision);
  await store.commit([put("/meanwhile")]);
  await store.close();
  await compaction;
  const closed = await verifyLmdbStore(path);
  const again = await openLmdbStore({ path, clock: new VirtualClock() });
  const old = await again.list("", { revision: revision - 1 }).catch((error: unknown) => error);
  await again.compact(revision + 1);
  await again.close();
  const swept = await verifyLmdbStore(path);
  expect(closed.leftOver).toBeGreaterThan(0);
  expect([closed.violation, old, swept.records, swept.leftOver, swept.violation]).toMatchObject([
    undefined,
    { code: "Compacted" },
    201,
    0,
    undefined,
  ]);
});

test("LmdbStore: a kill during a compaction loses nothing and reuses no revision", async () => {
  const path = newPath();
  const commits = { type: "put", key: "/a", value: "x".repeat(500), times: 30, keys: 100 } as const;
  let last = 1;
  for (let round = 0; round < 3; round++) {
    const writer = await startWritingProcess(path);
    const revision = Number(await writer.ask(commits));
    // Does not wait for the response.
    void writer.ask({ type: "compact", revision });
    await writer.kill();
    const found = await verifyLmdbStore(path);
    expect([found.violation, found.revision, found.keys]).toEqual([undefined, revision, 100]);
    expect(revision).toBe(last + 30);
    last = revision;
  }
});

/** A store with 200 keys, and this many superseded records. */
async function superseded(path: string, records: number): Promise<LmdbStore> {
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const ops = Array.from({ length: 200 }, (_, n) => put(`/${n}`));
  for (let n = 0; n <= records; n += ops.length) await store.commit(ops);
  return store;
}

function put(key: string): Op {
  return { type: "put", key, value: new Uint8Array(100) };
}

function newPath(): string {
  return join(root, `${directories++}`);
}
