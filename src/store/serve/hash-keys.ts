import { createHash } from "node:crypto";
import { KeyValue } from "../etcd/etcd-messages.ts";
import type { StoreView } from "../transactor.ts";
import { leaseOf } from "./attachment.ts";
import { entriesIn, keyRange } from "./key-range.ts";
import { keyValue } from "./key-values.ts";
import { revisionAsked } from "./range.ts";

const zero = new Uint8Array(1);

/** A checksum of all keys at a revision. It differs from etcd's, which also covers history. */
export function hashKeys(
  view: StoreView,
  asked: number,
): { readonly hash: number; readonly compact_revision: number } {
  const revision = revisionAsked(view, asked);
  const hash = createHash("sha256");
  for (const entry of entriesIn(view, keyRange(zero, zero), { revision, limit: 0 })) {
    hash.update(KeyValue.encode(keyValue(entry, leaseOf(view, entry, revision))));
  }
  // Without a compaction, etcd reports a number that is not a revision.
  return { hash: hash.digest().readUInt32BE(), compact_revision: view.compacted || -1 };
}
