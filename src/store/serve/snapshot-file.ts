import { setImmediate as othersFirst } from "node:timers/promises";
import { field, int, int64, message } from "../../base/protobuf-message.ts";
import { KeyValue } from "../etcd/etcd-messages.ts";
import { sortKey } from "../key-order.ts";
import { type Entry, StoreError } from "../store.ts";
import type { StoreView, Transactor } from "../transactor.ts";
import { type Attachment, attachmentOf, attachmentPrefix } from "./attachment.ts";
import { type BoltBucket, type BoltFile, boltFile, bucketOf } from "./bolt-file.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { keyValue } from "./key-values.ts";

const Lease = message({ ID: field(1, int64), TTL: field(2, int) });
/** Entries per read. */
const step = 64;
/** The number of attempts, each with a new revision if the previous one was compacted meanwhile. */
const attempts = 3;

/**
 * Generates an etcd database from a store, for `etcdctl snapshot restore`: all current keys with their
 * revisions and leases. History is left out and counts as compacted.
 *
 * Every value is read twice, for its size and when it is written, and none is kept.
 */
export async function snapshotFile(store: Pick<Transactor, "view">): Promise<BoltFile> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { revision } = store.view();
      return plannedFile(store, revision, await survey(store, revision));
    } catch (error) {
      const isCompacted = error instanceof StoreError && error.code === "Compacted";
      if (!isCompacted || attempt === attempts) throw error;
    }
  }
}

/** A key without its value. */
interface Surveyed {
  readonly key: string;
  readonly modRevision: number;
  /** Its position among the changes of its revision. */
  ordinal: number;
  readonly bytes: number;
}

interface Survey {
  /** In the order of their revisions. */
  readonly keys: readonly Surveyed[];
  readonly leases: ReadonlyMap<bigint, number>;
}

async function survey(store: Pick<Transactor, "view">, revision: number): Promise<Survey> {
  const keys: Surveyed[] = [];
  const leases = new Map<bigint, number>();
  for (let after = ""; ; ) {
    const view = store.view();
    const page = view.list("", { revision, limit: step, after });
    for (const entry of page.entries) {
      const { key, modRevision } = entry;
      after = key;
      if (sortKey(key) >= sortKey(attachmentPrefix)) continue;
      const attachment = attachmentOf(view, entry, revision);
      if (attachment) leases.set(attachment.lease, attachment.ttl);
      const { length } = encoded(entry, attachment);
      keys.push({ key, modRevision, ordinal: 0, bytes: length });
    }
    if (page.remaining === 0) break;
    await othersFirst();
  }
  keys.sort((a, b) => a.modRevision - b.modRevision);
  let last: Surveyed | undefined;
  for (const one of keys) {
    if (one.modRevision === last?.modRevision) one.ordinal = last.ordinal + 1;
    last = one;
  }
  return { keys, leases };
}

function plannedFile(
  store: Pick<Transactor, "view">,
  revision: number,
  { keys, leases }: Survey,
): BoltFile {
  const at = (index: number): Surveyed => keys[index] as Surveyed;
  const compacted = revisionBytes(revision, 0);
  const keyBucket: BoltBucket = {
    name: "key",
    count: keys.length,
    keyAt: (index) => revisionBytes(at(index).modRevision, at(index).ordinal),
    keySizeAt: () => compacted.length,
    sizeAt: (index) => at(index).bytes,
    valueAt(index) {
      const view = store.view();
      const entry = entryAt(view, at(index), revision);
      return encoded(entry, attachmentOf(view, entry, revision));
    },
  };
  return boltFile([
    keyBucket,
    bucketOf(
      "lease",
      [...leases].map(leaseItem).sort((a, b) => Buffer.compare(a.key, b.key)),
    ),
    bucketOf(
      "meta",
      ["finishedCompactRev", "scheduledCompactRev"].map((name) => ({
        key: Buffer.from(name),
        value: compacted,
      })),
    ),
  ]);
}

/** Returns the entry of a surveyed key; reads the old revision only if the key was changed since. */
function entryAt(view: StoreView, { key, modRevision }: Surveyed, revision: number): Entry {
  const now = view.get(key);
  if (now?.modRevision === modRevision) return now;
  const entry = revision < view.compacted ? undefined : view.get(key, revision);
  if (entry) return entry;
  throw etcdErrors.snapshotCompacted();
}

const encoded = (entry: Entry, attachment: Attachment | undefined): Uint8Array =>
  KeyValue.encode(keyValue(entry, attachment?.lease ?? 0n));

function leaseItem([id, ttl]: [bigint, number]) {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(id);
  return { key, value: Lease.encode({ ID: id, TTL: ttl }) };
}

/** Encodes a revision as etcd's backend key. */
function revisionBytes(revision: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(17);
  bytes.writeBigUInt64BE(BigInt(revision), 0);
  bytes.write("_", 8);
  bytes.writeBigUInt64BE(BigInt(count), 9);
  return bytes;
}
