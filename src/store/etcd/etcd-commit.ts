import type { Sent } from "../../base/protobuf-message.ts";
import type { CommitOutcome, Op } from "../store.ts";
import { entryOf } from "./etcd-entry.ts";
import type { EtcdKeys } from "./etcd-keys.ts";
import {
  compareResults,
  compareTargets,
  type TxnRequest,
  type TxnResponse,
} from "./etcd-messages.ts";

/** The outcome of a commit, and the keys that it changed. */
export interface EtcdOutcome {
  readonly outcome: CommitOutcome;
  readonly changed: readonly string[];
}

/**
 * Converts a commit to an etcd transaction; on failure, its response contains each key with a
 * precondition.
 */
export function commitRequest(
  ops: readonly Op[],
  keys: EtcdKeys,
  leases: ReadonlyMap<number, bigint>,
): Sent<TxnRequest> {
  const conditional = ops.filter(({ ifRevision }) => ifRevision !== undefined);
  return {
    compare: conditional.map(({ key, ifRevision }) => ({
      result: compareResults.equal,
      target: compareTargets.mod,
      key: keys.toEtcd(key),
      mod_revision: ifRevision,
    })),
    success: ops.map((op) => {
      const key = keys.toEtcd(op.key);
      if (op.type === "delete") return { request_delete_range: { key } };
      const lease = op.ttlMs === undefined ? 0n : (leases.get(op.ttlMs) ?? 0n);
      return { request_put: { key, value: op.value, lease } };
    }),
    failure: conditional.map(({ key }) => ({ request_range: { key: keys.toEtcd(key) } })),
  };
}

/** Converts etcd's response to a commit. */
export function commitOutcome(
  ops: readonly Op[],
  { header, succeeded, responses }: TxnResponse,
): EtcdOutcome {
  const revision = header?.revision ?? 0;
  if (succeeded) {
    const changed = ops.filter(({ type }, index) => {
      if (type === "put") return true;
      return (responses[index]?.response_delete_range?.deleted ?? 0) > 0;
    });
    return { outcome: { ok: true, revision }, changed: changed.map(({ key }) => key) };
  }
  const conditional = ops.filter(({ ifRevision }) => ifRevision !== undefined);
  for (const [index, { key, ifRevision }] of conditional.entries()) {
    const kv = responses[index]?.response_range?.kvs[0];
    if (ifRevision === (kv?.mod_revision ?? 0)) continue;
    const current = kv && entryOf(key, kv);
    return { outcome: { ok: false, key, current, revision }, changed: [] };
  }
  throw new Error("etcd reported a failed condition, but all conditions hold");
}
