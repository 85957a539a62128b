import type { Keyspace } from "../keyspace.ts";
import type { Entry, ListOptions, ListResult } from "../store.ts";
import type { Journal } from "./journal.ts";
import { idOf, type Slot } from "./slot.ts";

/** Reads the entry of a slot; its value is in memory until it is durable, then in the journal. */
export function readSlot(journal: Journal, slot: Slot): Entry {
  const { key, createRevision, modRevision, version } = slot;
  const value = slot.value ?? journal.readValue(idOf(slot));
  return { key, value, createRevision, modRevision, version };
}

/** Reads a page of a keyspace with the values. */
export function listSlots(
  { keyspace, journal }: { readonly keyspace: Keyspace<Slot>; readonly journal: Journal },
  prefix: string,
  options: ListOptions,
): ListResult {
  const { versions, remaining } = keyspace.list(prefix, options);
  return {
    entries: versions.map((slot) => readSlot(journal, slot)),
    revision: options.revision || keyspace.revision,
    more: remaining > 0,
    remaining,
  };
}
