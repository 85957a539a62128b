import { type Entry, StoreError, type StoreEvent } from "../store.ts";
import type { EtcdKeys } from "./etcd-keys.ts";
import { type Event, eventTypes, type KeyValue } from "./etcd-messages.ts";

/** Converts an etcd key to an entry of the store. */
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
  /** Only keys with this prefix are included. */
  readonly prefix: string;
  /** Returns equal bytes that are already in memory, if there are any. */
  readonly known: (key: string, value: Uint8Array) => Uint8Array;
}

/** Converts the etcd events of one revision. */
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

/** etcd looks up the previous value when it sends the event; by then it may be compacted. */
const forgotten = (key: string, revision: number): StoreError =>
  new StoreError(
    "Compacted",
    `the value of ${key} before revision ${revision} has been compacted`,
    {
      revision,
    },
  );
