import type { Sent } from "../../base/protobuf-message.ts";
import { type GrpcHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import type { ResponseHeader, TxnRequest } from "../etcd/etcd-messages.ts";
import { PutRequest, TxnRequest as TxnRequestMessage } from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import type { Store } from "../store.ts";
import type { Transactor } from "../transactor.ts";
import { checkOverlaps } from "./check-overlaps.ts";
import { checkPut, checkRange, checkTxn, maxRequestBytes } from "./check-requests.ts";
import { Draft } from "./draft.ts";
import { asEtcdError, etcdErrors } from "./etcd-errors.ts";
import { headerOf, type Member } from "./header.ts";
import type { LeaseBook } from "./lease-book.ts";
import { rangeIn } from "./range.ts";
import { deleteRange, put, txn, type Writing } from "./writes.ts";

/** The dependencies of all handlers. */
export interface Served {
  readonly store: Store & Transactor;
  readonly leases: LeaseBook;
  readonly member: Member;
}

/** etcd's KV service. */
export function kvHandlers(served: Served): GrpcHandler[] {
  const { store, member } = served;
  return [
    unaryHandler(etcdMethods.range, async (request) => {
      checkRange(request);
      return translated(async () => {
        const { revision, ...found } = rangeIn(store.view(), request);
        return { header: headerOf(member, revision), ...found };
      });
    }),
    unaryHandler(etcdMethods.put, async (request) => {
      checkPut(request);
      checkSize(request.value, () => PutRequest.encode(request));
      return written(served, (writing) => put(writing, request));
    }),
    unaryHandler(etcdMethods.deleteRange, async (request) => {
      checkRange(request);
      return written(served, (writing) => deleteRange(writing, request));
    }),
    unaryHandler(etcdMethods.txn, async (request) => {
      checkTxn(request);
      checkOverlaps(request.success);
      checkOverlaps(request.failure);
      if (isReadOnly(request)) return readOnly(served, request);
      checkTxnSize(request);
      return written(served, (writing) => txn(writing, request));
    }),
    unaryHandler(etcdMethods.compact, async ({ revision }) =>
      translated(async () => {
        await store.compact(revision);
        return { header: headerOf(member, store.view().revision) };
      }),
    ),
  ];
}

/** Runs a function and converts errors of the store to those of etcd. */
export async function translated<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw asEtcdError(error);
  }
}

/** Drafts and makes a commit, and responds with its revision. */
async function written<R extends { readonly header?: Sent<ResponseHeader> | undefined }>(
  { store, leases, member }: Served,
  write: (writing: Writing) => R,
): Promise<R & { readonly header: ResponseHeader }> {
  return translated(async () => {
    const { revision, answer } = await store.transact((now) => {
      const draft = new Draft(now);
      const written = write({ draft, leases });
      return { ops: draft.ops, answer: written };
    });
    return { ...answer, header: headerOf(member, revision) };
  });
}

/** A read-only transaction does not wait for pending commits. */
async function readOnly({ store, leases, member }: Served, request: TxnRequest) {
  return translated(async () => {
    const draft = new Draft(store.view());
    const answer = txn({ draft, leases }, request);
    return { ...answer, header: headerOf(member, draft.now.revision) };
  });
}

const isReadOnly = ({ success, failure }: TxnRequest): boolean =>
  [...success, ...failure].every(
    ({ request_range: range, request_txn: inner }) => range || (inner && isReadOnly(inner)),
  );

function checkTxnSize(request: TxnRequest): void {
  const values = [...request.success, ...request.failure].flatMap(
    ({ request_put: one }) => one?.value ?? [],
  );
  const weight = values.reduce((sum, { length }) => sum + length, 0);
  checkSize({ length: weight }, () => TxnRequestMessage.encode(request));
}

/** Encodes a request to check its size, but only if its values may make it too large. */
function checkSize(values: { readonly length: number }, encode: () => Uint8Array): void {
  if (values.length > maxRequestBytes / 2 && encode().length > maxRequestBytes)
    throw etcdErrors.requestTooLarge();
}
