import type { RequestOp } from "../etcd/etcd-messages.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { keyOf } from "./key-bytes.ts";
import { inRange, type KeyRange, keyRange } from "./key-range.ts";

interface Written {
  readonly puts: ReadonlySet<string>;
  readonly deletes: readonly KeyRange[];
}

/**
 * Fails where a key could be put twice, or both put and deleted, in one transaction. Both sides of
 * an inner transaction count, but may put the same key, as only one of them is done.
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
