import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { Journal } from "./journal.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { shrink } from "./shrink.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";
import { startWritingProcess } from "./writing-process.test-support.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-shrink-"));
const atLeast = 2 ** 20;
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("shrink: a mostly free file becomes small and keeps its content", async () => {
  const path = await mostlyFree();
  const before = await verifyLmdbStore(path);
  const [large, small, again] = [
    await sizeOf(path),
    await shrunk(path),
    // Nothing to gain any more.
    await shrunk(path),
  ];
  const modes = await Promise.all(
    ["data.mdb", "lock.mdb"].map(async (name) => (await stat(join(path, name))).mode & 0o777),
  );
  const after = await verifyLmdbStore(path);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const outcome = await store.commit([{ type: "put", key: "/b", value: new Uint8Array(1) }]);
  await store.close();
  expect([after, before.violation, again]).toEqual([before, undefined, small]);
  expect(modes).toEqual([0o600, 0o600]);
  expect(outcome).toEqual({ ok: true, revision: before.revision + 1 });
  expect(small).toBeLessThan(large / 10);
  expect(await readdir(path)).toEqual(["data.mdb", "lock.mdb", "owner"]);
});

test("shrink: the store stays claimed by its writer", async () => {
  const path = await mostlyFree();
  const journal = await Journal.open(path);
  await shrink(journal, { path, atLeast });
  const other = await startWritingProcess(path);
  await other.kill();
  await journal.close();
  expect(other.opened).toBe(
    `Locked: ${path} is in use by process ${process.pid}: stop that one first`,
  );
});

test("shrink: a reader continues with the new file", async () => {
  const path = await mostlyFree();
  const writer = await startWritingProcess(path);
  const reader = await openLmdbStore({ path, clock: new VirtualClock(), readOnly: true });
  const before = await reader.currentRevision();
  await writer.ask({ type: "close" });
  const shrinker = await startWritingProcess(path, { shrinkAtLeast: atLeast });
  await shrinker.ask({ type: "put", key: "/b", value: "1" });
  const after = await reader.list("/");
  await reader.close();
  await shrinker.kill();
  expect([after.revision, after.entries.map(({ key }) => key)]).toEqual([before + 1, ["/a", "/b"]]);
  expect(await sizeOf(path)).toBeLessThan(atLeast);
});

test("shrink: the rest of an interrupted shrink is removed", async () => {
  const path = await mostlyFree();
  await mkdir(join(path, "copy"));
  await writeFile(join(path, "copy", "data.mdb"), "half of it");
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const { entries } = await store.list("");
  await store.close();
  expect([entries.length, await readdir(path)]).toEqual([1, ["data.mdb", "lock.mdb", "owner"]]);
});

test("LmdbStore: the size of its file is bounded by the data between two compactions", async () => {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const value = new Uint8Array(1000);
  const sizes: number[] = [];
  for (let round = 0; round < 30; round++) {
    const ops = Array.from(
      { length: 100 },
      (_, n) => ({ type: "put", key: `/${n}`, value }) as const,
    );
    for (let n = 0; n < 10; n++) await store.commit(ops);
    await store.compact(await store.currentRevision());
    sizes.push(await sizeOf(path));
  }
  await store.close();
  // 1,000 records of 1 KB come between two compactions: four in a page of 4 KB are three.
  expect(Math.max(...sizes)).toBeLessThan(3 * 1000 * 1400);
  expect(sizes.at(-1)).toBe(sizes[9]);
});

async function mostlyFree(): Promise<string> {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const value = new Uint8Array(100_000).fill(1);
  for (let n = 0; n < 30; n++) await store.commit([{ type: "put", key: "/a", value }]);
  await store.compact(await store.currentRevision());
  await store.close();
  return path;
}

async function shrunk(path: string): Promise<number> {
  const journal = await Journal.open(path);
  await shrink(journal, { path, atLeast });
  await journal.close();
  return await sizeOf(path);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(join(path, "data.mdb"))).size;
}
