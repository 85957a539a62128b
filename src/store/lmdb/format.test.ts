import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Op } from "../store.ts";
import { currentFormat, type Format } from "./format.ts";
import { Journal } from "./journal.ts";
import { openLmdbStore } from "./lmdb-store.ts";
import { afterNext, upgradeAndDie } from "./newer-formats.test-support.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-format-"));
const { version } = currentFormat;
let directories = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

test("upgrade: an older store is upgraded step by step, with all of its content", async () => {
  const path = await oldStore();
  const before = await contentOf(path);
  const after = await contentOf(path, afterNext());
  // It runs once.
  const again = await contentOf(path, afterNext());
  expect(before.records.length).toBeGreaterThan(500);
  expect(after).toEqual({
    compacted: before.compacted,
    records: before.records.map(([revision, key]) => [revision, `${key}+1+2`]),
  });
  expect(again).toEqual(after);
});

test("upgrade: a store of a newer format is rejected with both versions and advice", async () => {
  const path = await oldStore();
  await contentOf(path, afterNext());
  const message = `StoreError: ${path} was written by a newer version of Wherry (format ${version + 2}, and this one reads up to ${version}): use that version`;
  const clock = new VirtualClock();
  const openings = [false, true].map((readOnly) =>
    failure(openLmdbStore({ path, clock, readOnly })),
  );
  expect(await Promise.all(openings)).toEqual([message, message]);
});

test("upgrade: a failed step leaves the store unchanged", async () => {
  const path = await oldStore();
  const before = await contentOf(path);
  const failing = afterNext(() => {
    throw new Error("this cannot be upgraded");
  });
  const refused = await failure(Journal.open(path, failing));
  expect(refused).toBe(`StoreError: ${path} is damaged: this cannot be upgraded: restore a backup`);
  expect(await contentOf(path)).toEqual(before);
});

test("upgrade: a kill in the middle leaves the store unchanged", async () => {
  const path = await oldStore();
  const before = await contentOf(path);
  const signal = await upgradeAndDie(path);
  const { violation } = await verifyLmdbStore(path);
  expect([signal, violation]).toEqual(["SIGKILL", undefined]);
  expect(await contentOf(path)).toEqual(before);
  expect((await contentOf(path, afterNext())).records.length).toBe(before.records.length);
});

test("upgrade: an older store cannot be opened read-only, with a clear error", async () => {
  const path = await oldStore();
  expect(await failure(Journal.openForReading(path, afterNext()))).toBe(
    `StoreError: ${path} was written by an older version of Wherry (format ${version}, and this one reads ${version + 2}): start a server on it once, which upgrades it`,
  );
});

test("upgrade: a store that is older than all upgrades is rejected", async () => {
  const path = await oldStore();
  const { upgrades } = afterNext();
  const late: Format = { version: version + 2, upgrades: new Map([...upgrades].slice(1)) };
  expect(await failure(Journal.open(path, late))).toBe(
    `StoreError: ${path} was written by an older version of Wherry (format ${version}, and this one reads from ${version + 1} up to ${version + 2}): open it with a version in between first`,
  );
});

async function oldStore(): Promise<string> {
  const path = join(root, `${directories++}`);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  for (let n = 0; n < 6; n++) {
    const ops = Array.from({ length: 100 }, (_, key): Op => {
      return { type: "put", key: `/${key}`, value: new Uint8Array(500 * (key % 20)) };
    });
    await store.commit(ops);
  }
  await store.commit([{ type: "delete", key: "/7" }]);
  await store.compact(2);
  await store.close();
  return path;
}

/** The content of a store, opened with the given format. */
async function contentOf(path: string, format: Format = currentFormat) {
  const journal = await Journal.open(path, format);
  const records = Array.from(journal.records(), ({ header }) => [header.revision, header.key]);
  const { compacted } = journal;
  await journal.close();
  return { compacted, records };
}

async function failure(opening: Promise<{ close(): Promise<void> }>): Promise<string> {
  try {
    await (await opening).close();
    return "opened";
  } catch (error) {
    return String(error);
  }
}
