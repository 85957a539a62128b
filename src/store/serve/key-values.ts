import type { Sent } from "../../base/protobuf-message.ts";
import type { KeyValue } from "../etcd/etcd-messages.ts";
import type { Entry } from "../store.ts";
import { bytesOf } from "./key-bytes.ts";

/** An entry as etcd writes it. */
export const keyValue = (entry: Entry, lease: bigint): KeyValue => ({
  key: bytesOf(entry.key),
  create_revision: entry.createRevision,
  mod_revision: entry.modRevision,
  version: entry.version,
  value: entry.value,
  lease,
});

/** A key that is gone, as etcd tells it: when it went, and nothing else. */
export const tombstone = (key: string, revision: number): Sent<KeyValue> => ({
  key: bytesOf(key),
  mod_revision: revision,
});
