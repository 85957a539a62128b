import { StoreError } from "../store.ts";
import type { RecordHeader } from "./record.ts";
import type { Slot } from "./slot.ts";

/** Throws unless a record belongs to the revision after the given one. */
export function checkFollows(revision: number, header: RecordHeader): void {
  if (header.revision === revision + 1) return;
  throw new StoreError("Corrupt", `the records of revision ${revision + 1} are missing`);
}

/** Throws unless a record has its position in its commit, and continues its key's version. */
export function checkFits(header: RecordHeader, previous: Slot | undefined, ordinal: number): void {
  const before = previous?.version ?? 0;
  const version = header.type === "put" ? before + 1 : previous?.version;
  if (header.ordinal === ordinal && header.version === version) return;
  throw new StoreError(
    "Corrupt",
    `the record ${header.revision}/${header.ordinal} does not fit: ${header.key}`,
  );
}
