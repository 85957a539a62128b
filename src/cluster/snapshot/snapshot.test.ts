import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { ensurePki } from "../../platform/pki/pki.ts";
import { type LmdbStore, openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import type { Store } from "../../store/store.ts";
import { checkSnapshot, restoreSnapshot } from "./restore-snapshot.ts";
import { writeSnapshot } from "./write-snapshot.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-snapshot-"));
const now = new Date("2026-01-02T03:04:05Z");
let names = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("writeSnapshot: holds one revision, while others write and compact", async () => {
  const store = await openStore(newPath());
  for (let n = 0; n < 1200; n++) await pair(store, n, "0");
  let stop = false;
  const writing = (async () => {
    for (let round = 1; !stop; round++) {
      await Promise.all([0, 500, 600, 1199].map((n) => pair(store, n, `${round}`)));
      if (round % 40 === 0) await store.compact((await store.currentRevision()) - 20);
    }
  })();
  const file = newPath();
  const written = await writeSnapshot({ store, file, now });
  stop = true;
  await writing;
  await store.close();
  const dir = newPath();
  await restoreSnapshot({ file, dir });
  const restored = await openStore(join(dir, "store"));
  const { entries } = await restored.list("/");
  await restored.close();
  const values = new Map(entries.map(({ key, value }) => [key, String(value)]));
  const torn = Array.from({ length: 1200 }, (_, n) => n).filter(
    (n) => values.get(`/a/${n}`) !== values.get(`/b/${n}`),
  );
  expect([entries.length, torn, written.entries]).toEqual([2400, [], 2400]);
});

test("restoreSnapshot: restores all keys, and raises the revision above every earlier one", async () => {
  const clock = new VirtualClock(1000);
  const store = await openStore(newPath(), clock);
  await store.commit([put("/a", "1"), put("/b", "1")]);
  await store.commit([put("/a", "2")]);
  await store.commit([{ ...put("/c", "1"), ttlMs: 5000 }]);
  const { entries: before } = await store.list("");
  const file = newPath();
  const written = await writeSnapshot({ store, file, now });
  await store.close();
  const dir = newPath();
  const { revision } = await restoreSnapshot({ file, dir });
  const later = new VirtualClock(5999, { settle: () => restored.settled() });
  const restored = await openStore(join(dir, "store"), later);
  const after = await restored.list("");
  const watch = await firstOf(restored, 4);
  const next = await restored.commit([put("/a", "3")]);
  await later.advance(1);
  const ended = (await restored.list("")).entries.map(({ key }) => key);
  await restored.close();
  expect([after.entries, after.revision, watch, next.revision, ended, written.revision]).toEqual([
    before,
    revision,
    "Compacted",
    revision + 1,
    ["/a", "/b"],
    4,
  ]);
  expect(revision).toBe(1_000_000_004);
});

for (const passphrase of [undefined, "correct horse é"]) {
  test(`restoreSnapshot: restores certificates and keys${passphrase ? ", encrypted" : ""}`, async () => {
    const { dataDir, store } = await dataDirectory();
    const file = newPath();
    const secret = passphrase === undefined ? {} : { passphrase };
    const written = await writeSnapshot({ store, file, now, dataDir, ...secret });
    await store.close();
    const dir = newPath();
    await restoreSnapshot({ file, dir, ...secret });
    const [before, after] = await Promise.all([pkiOf(dataDir), pkiOf(dir)]);
    const key = (await readFile(join(dataDir, "pki", "ca.key"), "utf8")).split("\n")[1] ?? "";
    expect({
      same: after,
      files: written.files.length,
      inTheClear: (await readFile(file)).includes(key),
      modes: await modes(file, dir, join(dir, "pki", "ca.key"), join(dir, "store", "data.mdb")),
      stamp: JSON.parse(await readFile(join(dir, "wherry.json"), "utf8")).dataVersion,
    }).toEqual({
      same: before,
      files: Object.keys(before).length,
      inTheClear: passphrase === undefined,
      modes: [0o600, 0o700, 0o600, 0o600],
      stamp: 1,
    });
  });
}

test("restoreSnapshot: rejects what it cannot restore, and leaves nothing behind", async () => {
  const { dataDir, store } = await dataDirectory();
  const file = newPath();
  await writeSnapshot({ store, file, now, dataDir, passphrase: "right" });
  await store.close();
  const damaged = newPath();
  const bytes = await readFile(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(damaged, bytes);
  const full = newPath();
  await mkdir(full);
  await writeFile(join(full, "notes.txt"), "x");
  const dir = newPath();
  const before = await readdir(root);
  const attempts = [
    { file, dir },
    { file, dir, passphrase: "wrong" },
    { file: damaged, dir, passphrase: "right" },
    { file: join(root, "absent"), dir },
    { file, dir: full, passphrase: "right" },
  ];
  const messages: string[] = [];
  for (const attempt of attempts) messages.push(await failure(restoreSnapshot(attempt)));
  expect([messages, await readdir(root)]).toEqual([
    [
      "the snapshot's certificates and keys are encrypted: give the passphrase",
      "the passphrase is wrong: the snapshot was encrypted with another one",
      `${damaged}: the snapshot is damaged or was cut off: use another one`,
      `ENOENT: no such file or directory, open '${join(root, "absent")}'`,
      `${full} is not empty (notes.txt): choose another directory`,
    ],
    before,
  ]);
});

test("writeSnapshot: a snapshot that cannot be written leaves the previous file in place", async () => {
  const store = await openStore(newPath());
  await store.commit([put("/a", "1")]);
  const file = newPath();
  await writeSnapshot({ store, file, now });
  const present = await readdir(root);
  const missing = await failure(writeSnapshot({ store, file: join(root, "no", "file"), now }));
  await store.close();
  const message = await failure(writeSnapshot({ store, file, now }));
  expect([message, missing, (await checkSnapshot(file)).entries, await readdir(root)]).toEqual([
    "the store is closed",
    expect.stringMatching(/^cannot write .*: ENOENT/),
    1,
    present,
  ]);
});

test("writeSnapshot: works while another process has the store open", async () => {
  const path = newPath();
  const store = await openStore(path);
  await store.commit([{ ...put("/a", "1"), ttlMs: 1000 }]);
  const reader = await openLmdbStore({ path, clock: new VirtualClock(), readOnly: true });
  const file = newPath();
  const written = await writeSnapshot({ store: reader, file, now });
  await reader.close();
  await store.close();
  expect([written.entries, written.revision]).toEqual([1, 2]);
});

async function dataDirectory(): Promise<{ readonly dataDir: string; readonly store: LmdbStore }> {
  const dataDir = newPath();
  await ensurePki(join(dataDir, "pki"), { now });
  const store = await openStore(join(dataDir, "store"));
  await store.commit([put("/a", "1")]);
  return { dataDir, store };
}

async function pkiOf(dir: string): Promise<Record<string, string>> {
  const files = await readdir(join(dir, "pki"));
  const pairs = files.map(async (name) => [name, await readFile(join(dir, "pki", name), "utf8")]);
  return Object.fromEntries(await Promise.all(pairs));
}

async function modes(...paths: string[]): Promise<number[]> {
  return await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
}

async function pair(store: Store, n: number, value: string): Promise<void> {
  await store.commit([put(`/a/${n}`, value), put(`/b/${n}`, value)]);
}

async function firstOf(store: Store, from: number): Promise<string> {
  try {
    for await (const batch of store.watch("", { from })) return `${batch.revision}`;
    return "ended";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

function put(key: string, value: string) {
  return { type: "put", key, value: new TextEncoder().encode(value) } as const;
}

function openStore(path: string, clock = new VirtualClock()): Promise<LmdbStore> {
  return openLmdbStore({ path, clock });
}

function newPath(): string {
  return join(root, `${names++}`);
}

async function failure(attempt: Promise<unknown>): Promise<string> {
  return await attempt.then(
    () => "done",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
