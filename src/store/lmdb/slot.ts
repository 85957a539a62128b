import type { Stamp } from "../keyspace.ts";
import type { RecordId } from "./record.ts";

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
