import type { Sent } from "../../base/protobuf-message.ts";
import type { KeyValue } from "../etcd/etcd-messages.ts";
import type { Entry } from "../store.ts";
import { bytesOf } from "./key-bytes.ts";

/** Converts an entry to etcd's KeyValue. */
export const keyValue = (entry: Entry, lease: bigint): KeyValue => ({
  key: bytesOf(entry.key),
  create_revision: entry.createRevision,
  mod_revision: entry.modRevision,
  version: entry.version,
  value: entry.value,
  lease,
});

/** A deleted key in etcd's form: only key and revision. */
export const tombstone = (key: string, revision: number): Sent<KeyValue> => ({
  key: bytesOf(key),
  mod_revision: revision,
});
