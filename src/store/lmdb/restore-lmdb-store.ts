import type { SnapshotEntry } from "../snapshot/snapshot-source.ts";
import { Journal } from "./journal.ts";
import { type EncodedRecord, encodeRecord } from "./record.ts";

/** How many records are written in one transaction. */
const step = 1000;

/**
 * Fills a new directory with a store whose keys are as given and whose revision is `revision`, before
 * which it has no history. Until that is done, nobody can open it as a store. The result is their count.
 */
export async function restoreLmdbStore(
  path: string,
  revision: number,
  entries: AsyncIterable<SnapshotEntry>,
): Promise<number> {
  const journal = await Journal.open(path);
  try {
    /** How many keys a revision has left. */
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
