import type { SnapshotEntry } from "../snapshot/snapshot-source.ts";
import { Journal } from "./journal.ts";
import { type EncodedRecord, encodeRecord } from "./record.ts";

/** The number of records per transaction. */
const step = 1000;

/**
 * Fills a new directory with a store of these keys at `revision`, without earlier history. It cannot be
 * opened as a store until that is complete. Returns the number of keys.
 */
export async function restoreLmdbStore(
  path: string,
  revision: number,
  entries: AsyncIterable<SnapshotEntry>,
): Promise<number> {
  const journal = await Journal.open(path);
  try {
    /** The number of keys of each revision. */
    const ordinals = new Map<number, number>();
    let records: EncodedRecord[] = [];
    let count = 0;
    for await (const entry of entries) {
      const { modRevision } = entry;
      const ordinal = ordinals.get(modRevision) ?? 0;
      ordinals.set(modRevision, ordinal + 1);
      const header = { ...entry, type: "put", revision: modRevision, ordinal } as const;
      records.push(encodeRecord(header, entry.value));
      count++;
      if (records.length < step) continue;
      await journal.insert(records);
      records = [];
    }
    await journal.insert(records);
    await journal.writeCompacted(revision);
    return count;
  } finally {
    await journal.close();
  }
}
