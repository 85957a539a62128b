import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open as openDatabase } from "lmdb";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { type Op, type Store, StoreError } from "../store.ts";
import { storeSuite } from "../suite/store-suite.ts";
import { transactorSuite } from "../suite/transactor-suite.ts";
import { Journal } from "./journal.ts";
import { type LmdbStore, openLmdbStore } from "./lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-store-"));
let directories = 0;
let latest: LmdbStore;

afterAll(() => rm(root, { recursive: true, force: true }));

storeSuite("LmdbStore", {
  open: async (clock) => {
    latest = await open(newPath(), clock);
    return latest;
  },
  settle: async () => {
    await latest.settled();
    for (let i = 0; i < 20; i++) await undefined;
  },
});

transactorSuite("LmdbStore", () => open(newPath()));

test("LmdbStore: all content is there after a restart", async () => {
  const path = newPath();
  const store = await open(path);
  await store.commit([put("/a", "1"), put("/b", "1")]);
  await store.commit([put("/a", "2"), remove("/b")]);
  await store.commit([put("/é\u{10000}", "x".repeat(100_000))]);
  const before = await everything(store);
  await store.close();
  const again = await open(path);
  const after = await everything(again);
  await again.close();
  expect(after).toEqual(before);
});

test("LmdbStore: without syncing, content is there after a restart of the process, too", async () => {
  const options = { path: newPath(), clock: new VirtualClock(), noSync: true };
  const store = await openLmdbStore(options);
  await store.commit([put("/a", "1")]);
  const before = await everything(store);
  await store.close();
  const again = await openLmdbStore(options);
  expect(await everything(again)).toEqual(before);
  await again.close();
});

test("LmdbStore: revisions continue after a restart", async () => {
  const path = newPath();
  const revisions: number[] = [];
  for (let n = 0; n < 3; n++) {
    const store = await open(path);
    revisions.push((await store.commit([put("/a", `${n}`)])).revision);
    await store.close();
  }
  expect(revisions).toEqual([2, 3, 4]);
});

test("LmdbStore: the revision does not go back when its last change was compacted", async () => {
  const path = newPath();
  const store = await open(path);
  await store.commit([put("/a", "1")]);
  await store.commit([remove("/a")]);
  await store.compact(3);
  await store.close();
  const again = await open(path);
  const outcome = await again.commit([put("/a", "2")]);
  const old = await again.list("/", { revision: 2 }).catch((error: unknown) => error);
  await again.close();
  expect([outcome.revision, old]).toMatchObject([4, { code: "Compacted", revision: 3 }]);
});

test("LmdbStore: compacted records are removed from the disk", async () => {
  const path = newPath();
  const store = await open(path);
  for (let n = 0; n < 20; n++) await store.commit([put("/a", `${n}`), put(`/${n}`, "x")]);
  for (let n = 0; n < 20; n++) await store.commit([remove(`/${n}`)]);
  await store.compact(40);
  await store.close();
  const database = openDatabase({ path, encoding: "binary", keyEncoding: "binary" });
  const records = database.getKeysCount();
  await database.close();
  // The store's mark, /a, the last of the others, and its deletion.
  expect(records).toBe(4);
});

test("LmdbStore: the rest of an interrupted compaction is removed by the next", async () => {
  const path = newPath();
  const store = await open(path);
  for (const op of [put("/a", "1"), put("/a", "2"), put("/b", "1"), remove("/b"), put("/a", "3")]) {
    await store.commit([op]);
  }
  await store.close();
  const journal = await Journal.open(path);
  await journal.writeCompacted(5);
  await journal.close();
  const again = await open(path);
  const list = await again.list("/", { revision: 5 });
  await again.compact(6);
  await again.close();
  const left = await Journal.open(path);
  const revisions = Array.from(left.records(), ({ header }) => header.revision);
  await left.close();
  expect([list.entries.map(({ key, modRevision }) => [key, modRevision]), revisions]).toEqual([
    [["/a", 3]],
    [6],
  ]);
});

test("LmdbStore: a time to live continues after a restart", async () => {
  const path = newPath();
  const store = await open(path, new VirtualClock(0));
  await store.commit([{ ...put("/a", "1"), ttlMs: 1000 }, put("/b", "1")]);
  await store.commit([{ ...put("/c", "1"), ttlMs: 5000 }]);
  await store.close();
  const clock = new VirtualClock(999, { settle: () => again.settled() });
  const again = await open(path, clock);
  const before = (await again.list("/")).entries.map(({ key }) => key);
  await clock.advance(1);
  const after = (await again.list("/")).entries.map(({ key }) => key);
  await again.close();
  expect([before, after]).toEqual([
    ["/a", "/b", "/c"],
    ["/b", "/c"],
  ]);
});

test("LmdbStore: keys that expired meanwhile are deleted when it is opened", async () => {
  const path = newPath();
  const store = await open(path, new VirtualClock(0));
  await store.commit([{ ...put("/a", "1"), ttlMs: 1000 }]);
  await store.close();
  const clock = new VirtualClock(10_000, { settle: () => again.settled() });
  const again = await open(path, clock);
  await clock.advance(0);
  const list = await again.list("/");
  await again.close();
  expect([list.revision, list.entries]).toEqual([3, []]);
});

test("LmdbStore: directory and files are private to their owner", async () => {
  const path = newPath();
  await mkdir(path);
  await chmod(path, 0o755);
  const store = await open(path);
  const modes = ["", "data.mdb", "lock.mdb", "owner"].map(
    async (name) => (await stat(join(path, name))).mode,
  );
  await store.close();
  expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([
    0o700, 0o600, 0o600, 0o600,
  ]);
});

test("LmdbStore: cannot be opened twice in one process, but again after it is closed", async () => {
  const path = newPath();
  const store = await open(path);
  await store.commit([put("/a", "1")]);
  const refused = await failure(open(path));
  const alive = await store.commit([put("/a", "2")]);
  await store.close();
  const again = await open(path);
  const revision = await again.currentRevision();
  await again.close();
  expect([refused, alive.ok, revision]).toEqual([
    `Locked: ${path} is in use by this process: stop that one first`,
    true,
    3,
  ]);
});

test("LmdbStore: cannot be opened while an older version has it open, but once that is killed", async () => {
  const path = newPath();
  await (await open(path)).close();
  await rm(join(path, "owner"));
  const program = join(root, "holder.mjs");
  const lmdb = import.meta.resolve("lmdb");
  await writeFile(
    program,
    `import { open } from ${JSON.stringify(lmdb)};
     open({ path: ${JSON.stringify(path)}, noSubdir: false }).get(1);
     process.send("open");
     setInterval(() => {}, 1000);`,
  );
  const holder = fork(program);
  await once(holder, "message");
  const refused = await failure(open(path));
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const store = await open(path);
  const outcome = await store.commit([put("/a", "1")]);
  await store.close();
  expect([refused, outcome]).toEqual([
    `Locked: ${path} is in use by process ${holder.pid}: stop that one first`,
    { ok: true, revision: 2 },
  ]);
});

const damages: [string, (path: string) => Promise<void>, RegExp][] = [
  [
    "other data",
    (path) => writeFile(join(path, "notes.txt"), "x"),
    /holds other data \(notes.txt\)/,
  ],
  [
    "a file that is no database",
    (path) => writeFile(join(path, "data.mdb"), "x".repeat(9000)),
    /not a database/,
  ],
  [
    "a database cut off in its first page",
    (path) => writeFile(join(path, "data.mdb"), "x"),
    /not a database/,
  ],
  ["a database of somebody else", otherDatabase, /not a store of Wherry's: choose another/],
  [
    "a store of a newer version",
    newerFormat,
    /was written by a newer version of Wherry \(format 12, and this one reads up to 1\): use that version/,
  ],
  ["a store whose file is missing", (path) => lost(path, rm), /data.mdb is missing: restore/],
  ["a store whose file is empty", (path) => lost(path, truncate), /data.mdb is empty: restore/],
  ["a database cut off", cutOff, /is damaged/],
  ["a database cut off within its last value", cutValue, /record 0000000000020000 is damaged/],
  ["a database without one of its records", withoutRecord, /revision 3 are missing/],
];
for (const [what, damage, message] of damages) {
  test(`LmdbStore: a directory with ${what} is rejected`, async () => {
    const path = newPath();
    await mkdir(path);
    await damage(path);
    expect(await failure(open(path))).toMatch(new RegExp(`^Corrupt: .*${message.source}`));
  });
}

test("LmdbStore: a path that is a file is rejected", async () => {
  const path = newPath();
  await writeFile(path, "");
  expect(await failure(open(path))).toMatch(/^Corrupt: .* cannot be read: Error: ENOTDIR/);
});

async function otherDatabase(path: string): Promise<void> {
  const database = openDatabase({ path, noSubdir: false });
  await database.put("key", "value");
  await database.close();
}

async function newerFormat(path: string): Promise<void> {
  await (await open(path)).close();
  const database = openDatabase({ path, encoding: "binary", keyEncoding: "binary" });
  await database.put(Buffer.alloc(8), Buffer.from("wherry store 12\nand whatever that has here"));
  await database.close();
}

async function lost(path: string, lose: (file: string) => Promise<void>): Promise<void> {
  await (await open(path)).close();
  await lose(join(path, "data.mdb"));
}

async function cutOff(path: string): Promise<void> {
  const store = await open(path);
  for (let n = 0; n < 50; n++) await store.commit([put(`/${n}`, "x".repeat(1000))]);
  await store.close();
  await truncate(join(path, "data.mdb"), 5 * 4096);
}

async function cutValue(path: string): Promise<void> {
  const store = await open(path);
  await store.commit([put("/a", "x".repeat(100_000))]);
  await store.close();
  const { size } = await stat(join(path, "data.mdb"));
  await truncate(join(path, "data.mdb"), size - 20 * 4096);
}

async function withoutRecord(path: string): Promise<void> {
  const store = await open(path);
  for (const key of ["/a", "/b", "/c"]) await store.commit([put(key, "x")]);
  await store.close();
  const database = openDatabase({ path, encoding: "binary", keyEncoding: "binary" });
  await database.remove(Buffer.of(0, 0, 0, 0, 0, 3, 0, 0));
  await database.close();
}

function newPath(): string {
  return join(root, `${directories++}`);
}

function open(path: string, clock = new VirtualClock()): Promise<LmdbStore> {
  return openLmdbStore({ path, clock });
}

function put(key: string, value: string): Op & { type: "put" } {
  return { type: "put", key, value: new TextEncoder().encode(value) };
}

function remove(key: string): Op {
  return { type: "delete", key };
}

/** The state at every revision, and the events of a watch. */
async function everything(store: Store): Promise<unknown> {
  const revision = await store.currentRevision();
  const lists = [];
  for (let at = 1; at <= revision; at++) lists.push(await store.list("", { revision: at }));
  const batches = [];
  for await (const batch of store.watch("", { from: 1 })) {
    batches.push(batch);
    if (batch.revision === revision) break;
  }
  return { lists, batches };
}

async function failure(opening: Promise<LmdbStore>): Promise<string> {
  try {
    await (await opening).close();
    return "opened";
  } catch (error) {
    if (error instanceof StoreError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
