import { type Entry, StoreError, type StoreEvent } from "../store.ts";
import type { EtcdKeys } from "./etcd-keys.ts";
import { type Event, eventTypes, type KeyValue } from "./etcd-messages.ts";

/** A key of etcd's as the store shows it. */
export function entryOf(key: string, kv: KeyValue): Entry {
  return {
    key,
    value: kv.value,
    createRevision: kv.create_revision,
    modRevision: kv.mod_revision,
    version: kv.version,
  };
}

export interface StoreEventsOptions {
  readonly keys: EtcdKeys;
  /** Only what concerns keys that start with it is told. */
  readonly prefix: string;
  /** The same bytes as they are known already, where they are. */
  readonly known: (key: string, value: Uint8Array) => Uint8Array;
}

/** The events of one revision as the store shows them. */
export function storeEvents(
  events: readonly Event[],
  { keys, prefix, known }: StoreEventsOptions,
): StoreEvent[] {
  return events.flatMap(({ type, kv, prev_kv: before }) => {
    const key = kv && keys.fromEtcd(kv.key);
    if (!kv || !key?.startsWith(prefix)) return [];
    const revision = kv.mod_revision;
    const isDelete = type === eventTypes.delete;
    if (!before && (isDelete || kv.version > 1)) throw forgotten(key, revision);
    const previous = before && entryOf(key, before);
    const entry = isDelete ? undefined : { ...entryOf(key, kv), value: known(key, kv.value) };
    return [{ type: isDelete ? "delete" : "put", key, entry, previous, revision }];
  });
}

/** etcd looks a previous value up when it sends the event, and by then it may be compacted. */
const forgotten = (key: string, revision: number): StoreError =>
  new StoreError("Compacted", `what ${key} was before revision ${revision} has been compacted`, {
    revision,
  });
