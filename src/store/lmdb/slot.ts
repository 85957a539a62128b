import type { Stamp } from "../keyspace.ts";
import type { RecordHeader, RecordId } from "./record.ts";

/** A key's version in memory, without its value, which is in the journal once it is durable. */
export interface Slot extends Stamp {
  /** Its position among the changes of its commit. */
  readonly ordinal: number;
  /** Milliseconds since the epoch; 0 for never. */
  readonly expiresAt: number;
  /** Set until the commit is durable and delivered. */
  value: Uint8Array | undefined;
}

/** The location of a slot's value. */
export function idOf({ modRevision, ordinal }: Slot): RecordId {
  return { revision: modRevision, ordinal };
}

/** Converts the header of a record. */
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
