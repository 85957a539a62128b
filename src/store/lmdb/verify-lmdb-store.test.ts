import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open as openDatabase } from "lmdb";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import type { RecordHeader } from "./record.ts";
import { verifyLmdbStore, verifyRecords } from "./verify-lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-verify-"));
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("verifyLmdbStore: an intact store has no violation, also while it is open", async () => {
  const path = await makeStore();
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const open = await verifyLmdbStore(path);
  await store.close();
  const expected = {
    records: 5,
    keys: 3,
    leases: 1,
    leftOver: 0,
    revision: 7,
    compacted: 4,
    violation: undefined,
  };
  expect([open, await verifyLmdbStore(path)]).toEqual([expected, expected]);
});

for (const [what, damage, violation] of [
  [
    "a bit has changed",
    (path: string) =>
      change(path, (database) => {
        const id = Buffer.of(0, 0, 0, 0, 0, 6, 0, 0);
        const record = Buffer.from(database.get(id) as Buffer);
        record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
        return database.put(id, record);
      }),
    /^the record 0000000000060000 is damaged$/,
  ],
  [
    "a record is missing",
    (path: string) =>
      change(path, (database) => database.remove(Buffer.of(0, 0, 0, 0, 0, 6, 0, 0))),
    /^the records of revision 6 are missing$/,
  ],
  [
    "the file was cut off",
    (path: string) => truncate(join(path, "data.mdb"), 3 * 4096),
    /data.mdb is cut off: restore a backup$/,
  ],
  [
    "the file is gone",
    (path: string) => rm(join(path, "data.mdb")),
    /data.mdb is missing: restore a backup$/,
  ],
] as const) {
  test(`verifyLmdbStore: detects that ${what}`, async () => {
    const path = await makeStore();
    await damage(path);
    expect((await verifyLmdbStore(path)).violation).toMatch(violation);
  });
}

const sound: RecordHeader[] = [
  record({ revision: 3, key: "/old" }),
  record({ revision: 6, key: "/a" }),
  record({ revision: 6, key: "/b", ordinal: 1 }),
  record({ revision: 7, key: "/a", createRevision: 6, version: 2 }),
  record({ revision: 8, key: "/a", createRevision: 6, version: 2, type: "delete" }),
  record({ revision: 9, key: "/a" }),
];

for (const [what, index, changes, violation] of [
  ["nothing is wrong", 0, {}, undefined],
  ["a revision comes again", 3, { revision: 6, ordinal: 1 }, "the record 6/1 follows 6/1"],
  ["a revision is missing", 3, { revision: 8 }, "the records of revision 7 are missing"],
  ["a change of a commit is missing", 2, { ordinal: 2 }, "the record 6/1 is missing"],
  [
    "a commit writes a key twice",
    2,
    { key: "/a" },
    "the record 6/1 writes /a a second time in its commit",
  ],
  [
    "a version is skipped",
    3,
    { revision: 7, createRevision: 5, version: 3 },
    "the record 7/0 says that /a has version 3, and it must be 2",
  ],
  [
    "a creation is another",
    3,
    { createRevision: 5 },
    "the record 7/0 says that /a was created at 5, and it was at 6",
  ],
  [
    "a creation is in the future",
    1,
    { createRevision: 7 },
    "the record 6/0 says that /a was created later, at 7",
  ],
  [
    "a key was written too often",
    3,
    { version: 4 },
    "the record 7/0 says that /a was written 4 times in 2 revisions",
  ],
  [
    "what was never there is deleted",
    4,
    { key: "/c" },
    "the record 8/0 deletes /c, which was not there",
  ],
  [
    "a deletion has a time to live",
    4,
    { expiresAt: 5 },
    "the record 8/0 deletes a key and has a time to live",
  ],
  [
    "a new key has a past",
    0,
    { version: 2 },
    "the record 3/0 says that /old was written 2 times in 1 revisions",
  ],
  [
    "a commit is older than the store",
    0,
    { revision: 1, createRevision: 1 },
    "the record 1/0 stands before the first revision that a commit can have",
  ],
] as const) {
  test(`verifyRecords: detects that ${what}`, () => {
    const records = sound.map((header, at) => (at === index ? { ...header, ...changes } : header));
    const found = records.map((header) => ({ header, valueBytes: 0 }));
    expect(verifyRecords(5, found).violation).toBe(violation);
  });
}

test("verifyRecords: counts the rest of an interrupted compaction", () => {
  const found = sound.map((header) => ({ header, valueBytes: 0 }));
  expect(verifyRecords(8, found)).toMatchObject({ leftOver: 3, revision: 9, violation: undefined });
});

function record(
  header: Partial<RecordHeader> & { readonly revision: number; readonly key: string },
): RecordHeader {
  const { revision } = header;
  return {
    ordinal: 0,
    type: "put",
    createRevision: revision,
    version: 1,
    expiresAt: 0,
    ...header,
  };
}

async function makeStore(): Promise<string> {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const value = new Uint8Array(3000).fill(1);
  await store.commit([{ type: "put", key: "/a", value }]);
  await store.commit([{ type: "put", key: "/a", value }]);
  await store.commit([{ type: "put", key: "/b", value }]);
  await store.commit([{ type: "put", key: "/b", value, ttlMs: 1000 }]);
  await store.commit([{ type: "put", key: "/a", value }]);
  await store.commit([{ type: "put", key: "/c", value }]);
  await store.compact(4);
  await store.close();
  return path;
}

type RawDatabase = ReturnType<typeof openDatabase>;

async function change(
  path: string,
  edit: (database: RawDatabase) => Promise<unknown>,
): Promise<void> {
  const database = openDatabase({ path, encoding: "binary", keyEncoding: "binary" });
  await edit(database);
  await database.close();
}
