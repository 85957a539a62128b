import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import {
  decodeFiles,
  decodeSnapshot,
  encodeFiles,
  encodeSnapshot,
  type SnapshotPart,
} from "./snapshot-format.ts";
import { entriesAt, putEntries } from "./snapshot-source.ts";

const newDigest = () => createHash("sha256");

const parts: SnapshotPart[] = [
  { type: "about", about: { revision: 2 ** 40, createdAt: "2026-01-02T03:04:05.000Z" } },
  {
    type: "entry",
    entry: {
      key: "/registry/é\u{10000}",
      value: Uint8Array.of(0, 255, 7),
      createRevision: 2 ** 40 - 5,
      modRevision: 2 ** 40,
      version: 6,
      expiresAt: 1_800_000_000_000,
    },
  },
  {
    type: "entry",
    entry: {
      key: "/b",
      value: new Uint8Array(0),
      createRevision: 2,
      modRevision: 2,
      version: 1,
      expiresAt: 0,
    },
  },
  { type: "file", file: { name: "pki/ca.crt", content: Uint8Array.of(1, 2) } },
  { type: "sealed", sealed: Uint8Array.of(9, 8, 7) },
];

for (const size of [1, 7, 100_000]) {
  test(`decodeSnapshot: decodes what was encoded, in chunks of ${size}`, async () => {
    expect(await decode(await encode(parts), size)).toEqual(parts);
  });
}

test("decodeSnapshot: any flipped bit is detected", async () => {
  const bytes = await encode(parts);
  const undetected: number[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (!(await failure(changed))) undetected.push(bit);
  }
  expect(undetected).toEqual([]);
});

test("decodeSnapshot: truncated or extended snapshots are detected", async () => {
  const bytes = await encode(parts);
  const undetected: number[] = [];
  for (let length = 0; length < bytes.length; length++) {
    if (!(await failure(bytes.subarray(0, length)))) undetected.push(length);
  }
  const longer = await failure(new Uint8Array([...bytes, 0]));
  expect([undetected, longer]).toEqual([
    [],
    "the snapshot is damaged or was cut off: use another one",
  ]);
});

test("decodeSnapshot: other files and newer versions are distinguished", async () => {
  const texts = ["wherry snapshot 12\nwhatever", "something else, which is long enough"];
  expect(await Promise.all(texts.map((text) => failure(new TextEncoder().encode(text))))).toEqual([
    "the snapshot is of a newer format (12, and this version reads up to 1): use the version of Wherry that wrote it",
    "the file is not a snapshot",
  ]);
});

test("decodeFiles: files are decoded unchanged", () => {
  const files = [
    { name: "pki/a.key", content: Uint8Array.of(1, 2, 3) },
    { name: "pki/b.key", content: new Uint8Array(0) },
  ];
  expect(decodeFiles(encodeFiles(files))).toEqual(files);
});

test("entriesAt: all keys as of a revision, whatever is written meanwhile", async () => {
  const store = new MemoryStore(new VirtualClock());
  const value = Uint8Array.of(1);
  for (let n = 0; n < 1200; n++) await store.commit([{ type: "put", key: `/${n}`, value }]);
  const revision = await store.currentRevision();
  const keys = new Set<string>();
  for await (const { key, modRevision } of entriesAt(store, revision)) {
    if (modRevision > revision) throw new Error("from the future");
    keys.add(key);
    await store.commit([{ type: "delete", key }]);
    await store.commit([{ type: "put", key: `${key}/new`, value }]);
  }
  expect(keys.size).toBe(1200);
});

test("entriesAt: includes the expiry time, as of the revision", async () => {
  const clock = new VirtualClock(1000);
  const store = new MemoryStore(clock);
  const value = Uint8Array.of(1);
  await store.commit([
    { type: "put", key: "/a", value, ttlMs: 500 },
    { type: "put", key: "/b", value },
  ]);
  await store.commit([{ type: "put", key: "/a", value }]);
  const found = [];
  for (const revision of [2, 3]) {
    for await (const { key, expiresAt } of entriesAt(store.fork(), revision)) {
      found.push([revision, key, expiresAt]);
    }
  }
  expect(found).toEqual([
    [2, "/a", 1500],
    [2, "/b", 0],
    [3, "/a", 0],
    [3, "/b", 0],
  ]);
});

test("putEntries: fills an empty store of any kind, without expired entries", async () => {
  const clock = new VirtualClock(1000);
  const entry = { createRevision: 5, modRevision: 9, version: 2, value: Uint8Array.of(1) };
  const entries = async function* () {
    yield { ...entry, key: "/a", expiresAt: 0 };
    yield { ...entry, key: "/b", expiresAt: 1000 };
    yield { ...entry, key: "/c", expiresAt: 1500 };
  };
  const store = new MemoryStore(clock);
  const keys = async () => (await store.list("")).entries.map(({ key }) => key);
  const count = await putEntries(store, entries(), clock.now());
  const before = await keys();
  await clock.advance(500);
  const after = await keys();
  const again = await putEntries(store, entries(), clock.now()).catch(
    (error: unknown) => `${error}`,
  );
  expect([count, before, after, again]).toEqual([
    2,
    ["/a", "/c"],
    ["/a"],
    "StoreError: the store is not empty: a snapshot is restored into an empty one",
  ]);
});

async function encode(these: readonly SnapshotPart[]): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encodeSnapshot(each(these), newDigest)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

async function decode(bytes: Uint8Array, size = bytes.length): Promise<SnapshotPart[]> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const found: SnapshotPart[] = [];
  for await (const part of decodeSnapshot(each(chunks), newDigest)) found.push(part);
  return found;
}

async function failure(bytes: Uint8Array): Promise<string> {
  return await decode(bytes).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function* each<T>(these: readonly T[]): AsyncGenerator<T> {
  yield* these;
}
