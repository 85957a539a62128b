import type { Sent } from "../../base/protobuf-message.ts";
import type {
  DeleteRangeRequest,
  DeleteRangeResponse,
  PutRequest,
  PutResponse,
  RangeRequest,
  RequestOp,
  ResponseOp,
  TxnRequest,
  TxnResponse,
} from "../etcd/etcd-messages.ts";
import type { Entry } from "../store.ts";
import type { StoreView } from "../transactor.ts";
import { leaseOf } from "./attachment.ts";
import { compareIn } from "./compare-in.ts";
import type { Draft } from "./draft.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { keyOf } from "./key-bytes.ts";
import { entriesIn, keyRange } from "./key-range.ts";
import { keyValue } from "./key-values.ts";
import type { LeaseBook } from "./lease-book.ts";
import { rangeIn } from "./range.ts";

/** A commit in preparation, and the available leases. */
export interface Writing {
  readonly draft: Draft;
  readonly leases: Pick<LeaseBook, "lookup">;
}

export function put({ draft, leases }: Writing, request: PutRequest): Sent<PutResponse> {
  const key = keyOf(request.key) ?? "";
  const { now } = draft;
  const before = now.get(key);
  const isKept = request.ignore_value || request.ignore_lease;
  if (isKept && !before) throw etcdErrors.keyNotFound();
  const id = request.ignore_lease && before ? leaseOf(now, before) : request.lease;
  const lease = leases.lookup(id);
  if (request.lease !== 0n && !lease) throw etcdErrors.leaseNotFound();
  // A copy: the value in a request is part of a larger buffer, which would stay in memory.
  const value = request.ignore_value && before ? before.value : Uint8Array.from(request.value);
  draft.put(key, value, lease && { lease: id, ttl: lease.ttl });
  lease?.keys.add(key);
  return {
    header: { revision: draft.now.revision },
    prev_kv: request.prev_kv && before ? keyValueIn(now, before) : undefined,
  };
}

export function deleteRange(
  { draft }: Writing,
  request: DeleteRangeRequest,
): Sent<DeleteRangeResponse> {
  const { now } = draft;
  const range = keyRange(request.key, request.range_end);
  const entries = entriesIn(now, range, { revision: 0, limit: 0 });
  for (const { key } of entries) draft.delete(key);
  return {
    header: { revision: draft.now.revision },
    deleted: entries.length,
    prev_kvs: request.prev_kv ? entries.map((entry) => keyValueIn(now, entry)) : [],
  };
}

/** Runs one branch of a transaction; all comparisons see the state before it. */
export function txn(writing: Writing, request: TxnRequest): Sent<TxnResponse> {
  return follow(writing, chosenIn(writing.draft.now, request));
}

const keyValueIn = (view: StoreView, entry: Entry) => keyValue(entry, leaseOf(view, entry));

/** The chosen branch of a transaction and of each nested one. */
interface Chosen {
  readonly succeeded: boolean;
  readonly ops: readonly { readonly op: RequestOp; readonly inner: Chosen | undefined }[];
}

function chosenIn(view: StoreView, { compare, success, failure }: TxnRequest): Chosen {
  const succeeded = compare.every((one) => compareIn(view, one));
  const ops = (succeeded ? success : failure).map((op) => ({
    op,
    inner: op.request_txn && chosenIn(view, op.request_txn),
  }));
  return { succeeded, ops };
}

function follow(writing: Writing, { succeeded, ops }: Chosen): Sent<TxnResponse> {
  return {
    header: {},
    succeeded,
    responses: ops.map(({ op, inner }): Sent<ResponseOp> => {
      if (inner) return { response_txn: follow(writing, inner) };
      if (op.request_put) return { response_put: put(writing, op.request_put) };
      if (op.request_delete_range)
        return { response_delete_range: deleteRange(writing, op.request_delete_range) };
      if (!op.request_range) return {};
      checkWithin(writing.draft.now, op.request_range);
      const { revision, ...found } = rangeIn(writing.draft.now, op.request_range);
      return { response_range: { header: { revision }, ...found } };
    }),
  };
}

/** Only within a transaction, a negative revision is reported as compacted. */
function checkWithin({ compacted }: StoreView, { revision }: RangeRequest): void {
  if (revision < 0 && revision < (compacted || -1)) throw etcdErrors.compacted();
}
