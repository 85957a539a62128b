import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { type Store, StoreError } from "../store.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { startWritingProcess, type WritingProcess } from "./writing-process.test-support.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-reader-"));
const writers: WritingProcess[] = [];
let directories = 0;

afterAll(async () => {
  for (const writer of writers) await writer.kill();
  await rm(root, { recursive: true, force: true });
});

test("LmdbReader: reads commits of another process as soon as they are durable", async () => {
  const { path, writer } = await start();
  await writer.ask({ type: "put", key: "/a", value: "1" });
  const store = await read(path);
  const seen = [await look(store, "/a")];
  for (const value of ["2", "3"]) {
    await writer.ask({ type: "put", key: "/a", value });
    seen.push(await look(store, "/a"));
  }
  const old = await look(store, "/a", 2);
  await writer.ask({ type: "compact", revision: 3 });
  const gone = await look(store, "/a", 2);
  const { entries, revision } = await store.list("/");
  await store.close();
  expect([seen, old, gone, entries.length, revision]).toEqual([
    ["1 2", "2 3", "3 4"],
    "1 2",
    "Compacted: revision 2 has been compacted; the oldest kept is 3",
    1,
    4,
  ]);
});

test("LmdbReader: a watch follows another process, and ends if that compacts too much", async () => {
  const { path, writer } = await start();
  await writer.ask({ type: "put", key: "/a", value: "1" });
  const clock = new VirtualClock();
  const store = await read(path, clock);
  const watch = store.watch("/", { from: 1 })[Symbol.asyncIterator]();
  const revisions: unknown[] = [(await watch.next()).value?.revision];
  await writer.ask({ type: "put", key: "/a", value: "2" });
  const next = watch.next();
  await clock.advance(100);
  revisions.push((await next).value?.revision);
  await writer.ask({ type: "put", key: "/a", value: "3", times: 5 });
  await writer.ask({ type: "compact", revision: 8 });
  const end = watch.next().catch((error: unknown) => String(error));
  await clock.advance(100);
  const message = await end;
  const again = await look(store, "/a");
  await store.close();
  expect([revisions, message, again]).toEqual([
    [2, 3],
    "StoreError: revisions before 8 have been compacted before they could be read",
    "3 8",
  ]);
});

test("LmdbReader: rejects writes", async () => {
  const { path } = await start();
  const store = await read(path);
  const refused = await Promise.allSettled([store.commit([]), store.compact(1)]);
  await store.close();
  const reason = "StoreError: the store was opened for reading only";
  expect(refused.map((each) => each.status === "rejected" && String(each.reason))).toEqual([
    reason,
    reason,
  ]);
});

test("LmdbReader: a writer can be killed and restarted beside it, and only one process writes", async () => {
  const { path, writer } = await start();
  const store = await read(path);
  await writer.ask({ type: "put", key: "/a", value: "1" });
  const second = await startWritingProcess(path);
  await writer.kill();
  const third = await startWritingProcess(path);
  writers.push(second, third);
  const revision = await third.ask({ type: "put", key: "/a", value: "2" });
  const seen = await look(store, "/a");
  await third.ask({ type: "close" });
  const here = await openHere(path);
  await store.close();
  expect([second.opened, third.opened, revision, seen, here, await openHere(path)]).toEqual([
    `Locked: ${path} is in use by process ${writer.pid}: stop that one first`,
    "open",
    3,
    "2 3",
    `Locked: ${path} is in use by this process, for reading: close that first`,
    "opened",
  ]);
});

test("LmdbReader: closing one in the writing process keeps the store claimed", async () => {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  await (await read(path)).close();
  const refusedHere = await openHere(path);
  const other = await startWritingProcess(path);
  writers.push(other);
  const outcome = await store.commit([{ type: "put", key: "/a", value: new Uint8Array(1) }]);
  await store.close();
  expect([refusedHere, other.opened, outcome]).toEqual([
    `Locked: ${path} is in use by this process: stop that one first`,
    `Locked: ${path} is in use by process ${process.pid}: stop that one first`,
    { ok: true, revision: 2 },
  ]);
});

test("LmdbReader: the file does not grow because of a reader", async () => {
  const { path, writer } = await start();
  const store = await read(path);
  const sizes: number[] = [];
  for (let round = 0; round < 12; round++) {
    const revision = await writer.ask({
      type: "put",
      key: "/a",
      value: "x".repeat(20_000),
      times: 50,
    });
    await writer.ask({ type: "compact", revision: Number(revision) });
    await look(store, "/a");
    sizes.push((await stat(join(path, "data.mdb"))).size);
  }
  await store.close();
  // During a read, the pages that one round frees cannot be reused.
  const roundBytes = 50 * 20_000;
  expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[3] ?? 0) + roundBytes);
});

test("LmdbReader: a directory without a store is rejected and left unchanged", async () => {
  const path = join(root, `${directories++}`);
  const absent = await failure(path);
  await mkdir(path);
  const empty = await failure(path);
  expect([absent, empty, await readdir(path)]).toEqual([
    `Corrupt: ${path} holds no store: choose another directory`,
    `Corrupt: ${path} holds no store: choose another directory`,
    [],
  ]);
});

async function start(): Promise<{ readonly path: string; readonly writer: WritingProcess }> {
  const path = join(root, `${directories++}`);
  const writer = await startWritingProcess(path);
  writers.push(writer);
  return { path, writer };
}

function read(path: string, clock = new VirtualClock()): Promise<Store> {
  return openLmdbStore({ path, clock, readOnly: true });
}

async function look(store: Store, key: string, revision?: number): Promise<string> {
  try {
    const entry = await store.get(key, revision);
    return entry ? `${new TextDecoder().decode(entry.value)} ${entry.modRevision}`.slice(-20) : "";
  } catch (error) {
    return describe(error);
  }
}

function failure(path: string): Promise<string> {
  return outcome(read(path));
}

function openHere(path: string): Promise<string> {
  return outcome(openLmdbStore({ path, clock: new VirtualClock() }));
}

async function outcome(opening: Promise<Store>): Promise<string> {
  try {
    await (await opening).close();
    return "opened";
  } catch (error) {
    return describe(error);
  }
}

function describe(error: unknown): string {
  return error instanceof StoreError ? `${error.code}: ${error.message}` : String(error);
}
