import {
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
  sortOrders,
  sortTargets,
} from "../etcd/etcd-messages.ts";
import type { StoreView } from "../transactor.ts";
import { leaseOf } from "./attachment.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { countIn, entriesIn, keyRange } from "./key-range.ts";
import { keyValue } from "./key-values.ts";

/** Reads the result of a range request from a view, without a header. */
export function rangeIn(
  view: StoreView,
  request: RangeRequest,
): Omit<RangeResponse, "header"> & { readonly revision: number } {
  const revision = revisionAsked(view, request.revision);
  const range = keyRange(request.key, request.range_end);
  const count = countIn(view, range, revision);
  const { limit } = request;
  if (request.count_only) return { kvs: [], more: false, count, revision: view.revision };
  // Sorting and filtering need all entries.
  const isWhole = request.sort_order !== sortOrders.none || hasFilter(request);
  const entries = entriesIn(view, range, {
    revision,
    limit: isWhole || limit <= 0 ? 0 : limit + 1,
  });
  const found = sorted(
    entries
      .map((entry) => keyValue(entry, leaseOf(view, entry, revision)))
      .filter((kv) => passes(kv, request)),
    request,
  );
  const more = limit > 0 && found.length > limit;
  const page = more ? found.slice(0, limit) : found;
  const kvs = request.keys_only ? page.map((kv) => ({ ...kv, value: nothing })) : page;
  return { kvs, more, count, revision: view.revision };
}

/** The revision to read, 0 for the newest; throws if it cannot be read. */
export function revisionAsked(view: StoreView, revision: number): number {
  if (revision > view.revision) throw etcdErrors.futureRevision();
  if (revision <= 0) return 0;
  // Throws if it was compacted, whatever the key.
  view.get("\0", revision);
  return revision;
}

const nothing = new Uint8Array(0);

const hasFilter = (request: RangeRequest): boolean =>
  request.min_mod_revision !== 0 ||
  request.max_mod_revision !== 0 ||
  request.min_create_revision !== 0 ||
  request.max_create_revision !== 0;

function passes({ mod_revision, create_revision }: KeyValue, request: RangeRequest): boolean {
  const within = (revision: number, least: number, most: number): boolean =>
    (least === 0 || revision >= least) && (most === 0 || revision <= most);
  return (
    within(mod_revision, request.min_mod_revision, request.max_mod_revision) &&
    within(create_revision, request.min_create_revision, request.max_create_revision)
  );
}

/** Sorts as requested; a target without an order is sorted ascending. */
function sorted(kvs: KeyValue[], { sort_order, sort_target }: RangeRequest): KeyValue[] {
  if (sort_order === sortOrders.none && sort_target === sortTargets.key) return kvs;
  const compare = comparisons[sort_target];
  if (!compare) return kvs;
  const sign = sort_order === sortOrders.descend ? -1 : 1;
  return kvs.sort((a, b) => sign * compare(a, b));
}

const comparisons: Readonly<Record<number, (a: KeyValue, b: KeyValue) => number>> = {
  [sortTargets.key]: (a, b) => Buffer.compare(a.key, b.key),
  [sortTargets.version]: (a, b) => a.version - b.version,
  [sortTargets.create]: (a, b) => a.create_revision - b.create_revision,
  [sortTargets.mod]: (a, b) => a.mod_revision - b.mod_revision,
  [sortTargets.value]: (a, b) => Buffer.compare(a.value, b.value),
};
