import { type Entry, type Store, StoreError } from "../store.ts";

/** A key as it stood, and when it ends. */
export interface SnapshotEntry extends Entry {
  /** Milliseconds since the epoch; 0 for never. */
  readonly expiresAt: number;
}

/** What a store knows of keys with a time to live, if it can tell. */
export interface Expiring {
  /** When an entry that it showed ends, as it stood at a revision; 0 for never. */
  expiresAt(entry: Entry, revision: number): number | Promise<number>;
}

/** How many entries are asked for at a time. */
const pageSize = 500;

/**
 * Every key as it stood at one revision, in pages, while others write. Fails with Compacted if that
 * revision is compacted meanwhile.
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

/** Puts entries into an empty store of any kind, which gives them revisions of its own. */
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
      throw new StoreError("Invalid", `${key} was written by somebody else meanwhile`);
    count++;
  }
  return count;
}
