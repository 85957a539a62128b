import type { Stamp } from "../keyspace.ts";
import type { RecordHeader, RecordId } from "./record.ts";

/** A key's version in memory: all but its value, which is in the journal once it is durable. */
export interface Slot extends Stamp {
  /** Its place among the changes of its commit. */
  readonly ordinal: number;
  /** Milliseconds since the epoch; 0 for never. */
  readonly expiresAt: number;
  /** Held until the commit is durable and delivered. */
  value: Uint8Array | undefined;
}

/** Where a slot's value is. */
export function idOf({ modRevision, ordinal }: Slot): RecordId {
  return { revision: modRevision, ordinal };
}

/** What a record says of its key. */
export function toSlot(header: RecordHeader): Slot {
  return {
    key: header.key,
    createRevision: header.createRevision,
    modRevision: header.revision,
    version: header.version,
    ordinal: header.ordinal,
    expiresAt: header.expiresAt,
    value: undefined,
  };
}
