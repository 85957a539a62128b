import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { longEnoughMs } from "../../../test/long-enough.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Op } from "../store.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";
import { startWritingProcess } from "./writing-process.test-support.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-give-back-"));
const shrinkAtLeast = 2 ** 20;
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("LmdbStore: space that stays free between two compactions is returned to the disk during writes", async () => {
  const { path, store } = await mostlyFree();
  const large = await sizeOf(path);
  const clock = new VirtualClock();
  const keys: string[] = [];
  const seen: string[] = [];
  const stop = store.subscribe(
    "/meanwhile/",
    { from: await store.currentRevision() },
    {
      batch: ({ events }) => void seen.push(...events.map(({ key }) => key)),
      end: () => undefined,
    },
  );
  await store.compact(await store.currentRevision());
  const deadline = Date.now() + longEnoughMs;
  // Several writers run all the time, and some continue afterwards.
  const write = async (writer: number): Promise<void> => {
    let after = 0;
    for (let n = 0; after < 20 && Date.now() < deadline; n++) {
      const key = `/meanwhile/${writer}/${n}`;
      await store.commit([put(key, 300), put(`/k/${writer}/${n % 3}`, 300)]);
      keys.push(key);
      if ((await sizeOf(path)) < large / 2) after++;
    }
  };
  await Promise.all([1, 2, 3, 4].map(write));
  const small = await sizeOf(path);
  const old = await store.get("/a");
  const names = await readdir(path);
  stop();
  await store.close();
  const { violation } = await verifyLmdbStore(path);
  const again = await openLmdbStore({ path, clock });
  const { entries } = await again.list("/meanwhile/");
  await again.close();
  expect([violation, old?.value.length, names]).toEqual([
    undefined,
    100_000,
    ["data.mdb", "lock.mdb", "owner"],
  ]);
  expect(small).toBeLessThan(large / 2);
  expect(seen.toSorted()).toEqual(keys.toSorted());
  expect(entries.map(({ key }) => key)).toEqual(keys.toSorted());
});

test("LmdbStore: a file whose free pages are reused stays as it is", async () => {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock(), shrinkAtLeast });
  const inodes = new Set<number>();
  for (let round = 0; round < 4; round++) {
    for (let n = 0; n < 30; n++) await store.commit([put("/a", 100_000)]);
    await store.compact(await store.currentRevision());
    inodes.add((await stat(join(path, "data.mdb"))).ino);
  }
  await store.close();
  inodes.add((await stat(join(path, "data.mdb"))).ino);
  expect(inodes.size).toBe(1);
});

test("LmdbStore: close does not wait for a copy, and leaves none behind", async () => {
  const { path, store } = await mostlyFree();
  await store.compact(await store.currentRevision());
  await store.close();
  const { violation, keys } = await verifyLmdbStore(path);
  expect([violation, keys, await readdir(path)]).toEqual([
    undefined,
    1,
    ["data.mdb", "lock.mdb", "owner"],
  ]);
});

test("LmdbStore: if the new file cannot be opened, writes wait until it can, and nothing is lost", async () => {
  const clock = new VirtualClock();
  const { path, store } = await mostlyFree(clock);
  const { ino } = await stat(join(path, "data.mdb"));
  const lock = join(path, "lock.mdb");
  await rename(lock, join(path, "aside"));
  await mkdir(join(lock, "in the way"), { recursive: true });
  await store.compact(await store.currentRevision());
  await eventually(async () => expect((await stat(join(path, "data.mdb"))).ino).not.toBe(ino));
  const outcomes: unknown[] = [];
  const commit = async (): Promise<void> => {
    const outcome = store.commit([put("/b", 100)]);
    outcomes.push(await outcome.catch((error: unknown) => String(error)));
  };
  const revision = await store.currentRevision();
  await commit();
  await clock.advance(1000);
  await commit();
  const read = await store.get("/a");
  await rm(lock, { recursive: true });
  await clock.advance(1000);
  await commit();
  await store.close();
  const found = await verifyLmdbStore(path);
  expect(outcomes).toEqual([
    expect.stringMatching(/^StoreError: data.mdb was replaced by a smaller one, .* every second$/),
    expect.stringMatching(/^StoreError: the disk took no write \(/),
    { ok: true, revision: revision + 1 },
  ]);
  expect([read?.value.length, found.violation, found.revision]).toEqual([
    100_000,
    undefined,
    revision + 1,
  ]);
});

test("LmdbStore: a reader in another process continues after the file was shrunk", async () => {
  const path = join(root, `${directories++}`);
  const writer = await startWritingProcess(path, { shrinkAtLeast });
  const value = "x".repeat(100_000);
  const revision = Number(await writer.ask({ type: "put", key: "/a", value, times: 30 }));
  const reader = await openLmdbStore({ path, clock: new VirtualClock(), readOnly: true });
  const before = await reader.currentRevision();
  for (const at of [revision, revision + 1]) {
    await writer.ask({ type: "compact", revision: at });
    await writer.ask({ type: "put", key: "/b", value: "1" });
  }
  await eventually(async () => expect(await sizeOf(path)).toBeLessThan(shrinkAtLeast));
  const after = await reader.list("/");
  await writer.ask({ type: "put", key: "/c", value: "1" });
  const later = await reader.currentRevision();
  await reader.close();
  await writer.kill();
  expect([before, after.revision, later]).toEqual([revision, revision + 2, revision + 3]);
  expect(after.entries.map(({ key }) => key)).toEqual(["/a", "/b"]);
});

test("LmdbStore: a reader that opened the data file beside an old lock file sees later commits", async () => {
  const path = join(root, `${directories++}`);
  const first = await startWritingProcess(path);
  const revision = Number(await first.ask({ type: "put", key: "/a", value: "1" }));
  await first.kill();
  const reader = await openLmdbStore({ path, clock: new VirtualClock(), readOnly: true });
  await writeFile(join(path, "lock.mdb.new"), "");
  await rename(join(path, "lock.mdb.new"), join(path, "lock.mdb"));
  const second = await startWritingProcess(path);
  await second.ask({ type: "put", key: "/b", value: "1" });
  const seen = await reader.currentRevision();
  await reader.close();
  await second.kill();
  expect(seen).toBe(revision + 1);
});

/** A store whose file is mostly free since its last compaction. */
async function mostlyFree(
  clock = new VirtualClock(),
): Promise<{ readonly path: string; readonly store: LmdbStore }> {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock, shrinkAtLeast });
  for (let n = 0; n < 60; n++) await store.commit([put("/a", 100_000)]);
  await store.compact(await store.currentRevision());
  // A revision to compact.
  await store.commit([put("/a", 100_000)]);
  return { path, store };
}

function put(key: string, bytes: number): Op {
  return { type: "put", key, value: new Uint8Array(bytes) };
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(join(path, "data.mdb"))).size;
}
