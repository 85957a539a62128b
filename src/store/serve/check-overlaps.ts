import type { RequestOp } from "../etcd/etcd-messages.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { keyOf } from "./key-bytes.ts";
import { inRange, type KeyRange, keyRange } from "./key-range.ts";

interface Written {
  readonly puts: ReadonlySet<string>;
  readonly deletes: readonly KeyRange[];
}

/**
 * Throws if a transaction could put a key twice, or both put and delete it. Both branches of a nested
 * transaction count, but both may put the same key, because only one of them runs.
 */
export function checkOverlaps(ops: readonly RequestOp[]): Written {
  const deletes: KeyRange[] = ops.flatMap(({ request_delete_range: one }) =>
    one ? [keyRange(one.key, one.range_end)] : [],
  );
  const puts = new Set<string>();
  const add = (key: string, also: ReadonlySet<string> = new Set()): void => {
    const isTwice = puts.has(key) && !also.has(key);
    if (isTwice || deletes.some((range) => inRange(range, key))) throw etcdErrors.duplicateKey();
    puts.add(key);
  };
  for (const { request_txn: inner } of ops) {
    if (!inner) continue;
    const then = checkOverlaps(inner.success);
    const otherwise = checkOverlaps(inner.failure);
    for (const key of then.puts) add(key);
    for (const key of otherwise.puts) add(key, then.puts);
    deletes.push(...then.deletes, ...otherwise.deletes);
  }
  for (const { request_put: put } of ops) {
    if (put) add(keyOf(put.key) ?? "");
  }
  return { puts, deletes };
}
