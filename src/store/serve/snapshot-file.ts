import { field, int, int64, message } from "../../base/protobuf-message.ts";
import { KeyValue } from "../etcd/etcd-messages.ts";
import type { StoreView } from "../transactor.ts";
import { attachments, leaseOf } from "./attachment.ts";
import { type BoltItem, boltFile } from "./bolt-file.ts";
import { entriesIn, keyRange } from "./key-range.ts";
import { keyValue } from "./key-values.ts";

const Lease = message({ ID: field(1, int64), TTL: field(2, int) });
const zero = new Uint8Array(1);

/**
 * A database of etcd with all that is in a view, as `etcdctl snapshot restore` takes it: all keys as
 * they are now with their revisions, their leases, and nothing of the past, which counts as compacted.
 */
export function snapshotFile(view: StoreView): Uint8Array {
  const entries = entriesIn(view, keyRange(zero, zero), { revision: 0, limit: 0 });
  let last = { revision: 0, count: 0 };
  const keys = entries
    .sort((a, b) => a.modRevision - b.modRevision)
    .map((entry): BoltItem => {
      const { modRevision: revision } = entry;
      // Changes of one revision are told apart by a count.
      last = { revision, count: revision === last.revision ? last.count + 1 : 0 };
      const value = KeyValue.encode(keyValue(entry, leaseOf(view, entry)));
      return [revisionBytes(revision, last.count), value];
    });
  const leases = new Map([...attachments(view)].map(([, { lease, ttl }]) => [lease, ttl]));
  const compacted = revisionBytes(view.revision, 0);
  return boltFile([
    { name: "key", items: keys },
    { name: "lease", items: [...leases].map(leaseItem).sort(byKey) },
    {
      name: "meta",
      items: ["finishedCompactRev", "scheduledCompactRev"].map((name) => [
        Buffer.from(name),
        compacted,
      ]),
    },
  ]);
}

function leaseItem([id, ttl]: [bigint, number]): BoltItem {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(id);
  return [key, Lease.encode({ ID: id, TTL: ttl })];
}

const byKey = ([a]: BoltItem, [b]: BoltItem): number => Buffer.compare(a, b);

/** A revision as etcd writes it where it is a key. */
function revisionBytes(revision: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(17);
  bytes.writeBigUInt64BE(BigInt(revision), 0);
  bytes.write("_", 8);
  bytes.writeBigUInt64BE(BigInt(count), 9);
  return bytes;
}
