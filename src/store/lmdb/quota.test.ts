import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { type Op, type Store, StoreError } from "../store.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-quota-"));
const quotaBytes = 2 ** 20;
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("Quota: a full store rejects puts, accepts deletions, and accepts puts again after a compaction", async () => {
  const told: string[] = [];
  const { path, store } = await open({ onFull: (full, why) => told.push(`${full}: ${why}`) });
  const { written, refused } = await fill(store);
  const full = await store.list("/", { limit: 1 });
  const update = await failure(store.commit([put("/0"), { type: "delete", key: "/1" }]));
  const deleted = await store.commit(
    Array.from({ length: written / 2 }, (_, n) => ({ type: "delete", key: `/${n}` })),
  );
  const before = await failure(store.commit([put("/0")]));
  await store.compact(deleted.revision);
  const after = await store.commit([put("/0")]);
  const tiny = await store.commit([{ ...put("/1"), value: new Uint8Array(1) }]);
  await store.close();
  const { size } = await stat(join(path, "data.mdb"));
  const message = new RegExp(
    `^NoSpace: ${path} has \\d+ bytes in use and may have 1048576, and nothing was written: delete what is not needed and compact the store, or allow it more$`,
  );
  expect([refused, update, before]).toEqual(Array(3).fill(expect.stringMatching(message)));
  expect(full.entries.length + full.remaining).toBe(written);
  expect([deleted, after, tiny]).toEqual(
    [1, 2, 3].map((n) => ({ ok: true, revision: full.revision + n })),
  );
  expect(told).toEqual([
    expect.stringMatching(/^true: .* may have 1048576/),
    expect.stringMatching(/^false: /),
  ]);
  // LMDB itself needs a part of it.
  expect(size).toBeLessThan(quotaBytes * 1.2);
});

test("Quota: pending commits count, however many are concurrent", async () => {
  const { store } = await open();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, (_, n) => store.commit([put(`/${n}`)])),
  );
  const taken = outcomes.filter(({ status }) => status === "fulfilled").length;
  const { revision, entries } = await store.list("/");
  await store.close();
  expect(taken * 10_000).toBeLessThan(quotaBytes);
  expect(taken * 10_000).toBeGreaterThan(quotaBytes * 0.9);
  expect([entries.length, revision]).toEqual([taken, taken + 1]);
});

test("Quota: a full store accepts puts when it is opened with a higher quota, or with none", async () => {
  const { path, store } = await open();
  const { written } = await fill(store);
  await store.close();
  const results: unknown[] = [];
  for (const bytes of [quotaBytes, 2 * quotaBytes, 0]) {
    const again = await openLmdbStore({ path, clock: new VirtualClock(), quotaBytes: bytes });
    results.push((await failure(again.commit([put(`/${written}`)]))).split(":")[0]);
    await again.close();
  }
  expect(results).toEqual(["NoSpace", "taken", "taken"]);
});

test("Quota: keys expire in a full store", async () => {
  const clock = new VirtualClock(0, { settle: () => store.settled() });
  const { store } = await open({ clock });
  await store.commit([{ ...put("/ends"), ttlMs: 1000 }]);
  await fill(store);
  await clock.advance(1000);
  const ended = await store.get("/ends");
  await store.close();
  expect(ended).toBeUndefined();
});

async function open(
  options: Partial<Parameters<typeof openLmdbStore>[0]> = {},
): Promise<{ readonly path: string; readonly store: LmdbStore }> {
  const path = join(root, `${directories++}`);
  const clock = new VirtualClock();
  const store = await openLmdbStore({ clock, quotaBytes, ...options, path, readOnly: false });
  return { path, store };
}

/** Puts keys until the store is full. */
async function fill(store: Store): Promise<{ readonly written: number; readonly refused: string }> {
  for (let written = 0; ; written += 2) {
    const refused = await failure(store.commit([put(`/${written}`), put(`/${written + 1}`)]));
    if (refused !== "taken") return { written, refused };
  }
}

function put(key: string): Op & { readonly type: "put" } {
  return { type: "put", key, value: new Uint8Array(10_000) };
}

async function failure(commit: Promise<unknown>): Promise<string> {
  try {
    await commit;
    return "taken";
  } catch (error) {
    return error instanceof StoreError ? `${error.code}: ${error.message}` : String(error);
  }
}
