import {
  type Compare,
  compareResults,
  compareTargets,
  type KeyValue,
} from "../etcd/etcd-messages.ts";
import type { StoreView } from "../transactor.ts";
import { leaseOf } from "./attachment.ts";
import { entriesIn, keyRange } from "./key-range.ts";
import { keyValue } from "./key-values.ts";

/**
 * Whether a comparison holds for every key of its range; an empty range is compared as an absent key.
 */
export function compareIn(view: StoreView, compare: Compare): boolean {
  const range = keyRange(compare.key, compare.range_end);
  const entries = entriesIn(view, range, { revision: 0, limit: 0 });
  if (entries.length > 0)
    return entries.every((entry) => holds(compare, keyValue(entry, leaseOf(view, entry))));
  // An absent value differs from an empty one.
  return compare.target !== compareTargets.value && holds(compare, absent);
}

const absent: KeyValue = {
  key: new Uint8Array(0),
  create_revision: 0,
  mod_revision: 0,
  version: 0,
  value: new Uint8Array(0),
  lease: 0n,
};

function holds(compare: Compare, kv: KeyValue): boolean {
  const order = orders[compare.target]?.(compare, kv) ?? 0;
  switch (compare.result) {
    case compareResults.equal:
      return order === 0;
    case compareResults.greater:
      return order > 0;
    case compareResults.less:
      return order < 0;
    case compareResults.notEqual:
      return order !== 0;
    default:
      return true;
  }
}

/** Compares the stored value with the requested one; missing fields are zero or empty. */
const orders: Readonly<Record<number, (said: Compare, kv: KeyValue) => number>> = {
  [compareTargets.version]: ({ version = 0 }, kv) => kv.version - version,
  [compareTargets.create]: ({ create_revision = 0 }, kv) => kv.create_revision - create_revision,
  [compareTargets.mod]: ({ mod_revision = 0 }, kv) => kv.mod_revision - mod_revision,
  [compareTargets.value]: ({ value = absent.value }, kv) => Buffer.compare(kv.value, value),
  [compareTargets.lease]: ({ lease = 0n }, kv) => Number(kv.lease - lease),
};
