import { type Entry, type Store, StoreError } from "../store.ts";

/** An entry with its expiry time. */
export interface SnapshotEntry extends Entry {
  /** Milliseconds since the epoch; 0 for never. */
  readonly expiresAt: number;
}

/** A store that knows the expiry time of its keys. */
export interface Expiring {
  /** The expiry time of an entry that was read at a revision; 0 for never. */
  expiresAt(entry: Entry, revision: number): number | Promise<number>;
}

/** Entries per read. */
const pageSize = 500;

/**
 * Reads every key at one revision, in pages, while others write. Fails with Compacted if that revision
 * is compacted meanwhile.
 */
export async function* entriesAt(
  store: Store & Partial<Expiring>,
  revision: number,
): AsyncGenerator<SnapshotEntry> {
  let after: string | undefined;
  for (;;) {
    const page = await store.list("", {
      revision,
      limit: pageSize,
      ...(after !== undefined && { after }),
    });
    for (const entry of page.entries) {
      yield { ...entry, expiresAt: (await store.expiresAt?.(entry, revision)) ?? 0 };
    }
    after = page.entries.at(-1)?.key;
    if (!page.more || after === undefined) return;
  }
}

/** Puts entries into an empty store, which assigns new revisions. */
export async function putEntries(
  store: Store,
  entries: AsyncIterable<SnapshotEntry>,
  now: number,
): Promise<number> {
  if ((await store.list("", { limit: 1 })).entries.length > 0) {
    throw new StoreError(
      "Invalid",
      "the store is not empty: a snapshot is restored into an empty one",
    );
  }
  let count = 0;
  for await (const { key, value, expiresAt } of entries) {
    if (expiresAt > 0 && expiresAt <= now) continue;
    const ttl = expiresAt > 0 && { ttlMs: expiresAt - now };
    const outcome = await store.commit([{ type: "put", key, value, ifRevision: 0, ...ttl }]);
    if (!outcome.ok)
      throw new StoreError("Invalid", `${key} was written by another client meanwhile`);
    count++;
  }
  return count;
}
