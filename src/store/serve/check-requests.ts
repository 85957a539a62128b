import type {
  DeleteRangeRequest,
  PutRequest,
  RangeRequest,
  RequestOp,
  TxnRequest,
} from "../etcd/etcd-messages.ts";
import { attachmentPrefix } from "./attachment.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { keyOf } from "./key-bytes.ts";

/**
 * The maximum number of comparisons, and of operations per branch, of a transaction with its nested
 * ones.
 */
const maxOps = 128;
/** The maximum size of a write request. */
export const maxRequestBytes = 1.5 * 1024 * 1024;

export function checkRange({ key }: RangeRequest | DeleteRangeRequest): void {
  if (key.length === 0) throw etcdErrors.emptyKey();
}

export function checkPut(request: PutRequest): void {
  if (request.key.length === 0) throw etcdErrors.emptyKey();
  if (request.ignore_value && request.value.length > 0) throw etcdErrors.valueProvided();
  if (request.ignore_lease && request.lease !== 0n) throw etcdErrors.leaseProvided();
  const key = keyOf(request.key);
  if (key === undefined) throw etcdErrors.keyNotText();
  if (key.startsWith(attachmentPrefix)) throw etcdErrors.keyReserved();
}

export function checkTxn(request: TxnRequest, most = maxOps): void {
  const { compare, success, failure } = request;
  const count = Math.max(compare.length, success.length, failure.length);
  if (count > most) throw etcdErrors.tooManyOps();
  if (compare.some(({ key }) => key.length === 0)) throw etcdErrors.emptyKey();
  for (const op of [...success, ...failure]) checkOp(op, most - count);
}

function checkOp(op: RequestOp, most: number): void {
  if (op.request_range) checkRange(op.request_range);
  else if (op.request_put) checkPut(op.request_put);
  else if (op.request_delete_range) checkRange(op.request_delete_range);
  else if (op.request_txn) checkTxn(op.request_txn, most);
  else throw etcdErrors.keyNotFound();
}
