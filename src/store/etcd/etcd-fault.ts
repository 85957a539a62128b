import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import { StoreError } from "../store.ts";

/** Converts the error of a read or of an idempotent write. */
export function readFault(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof GrpcError)) return unavailable(error);
  return refusals.has(error.code) ? invalid(error) : unavailable(error);
}

/**
 * Converts the error of a commit: unless etcd rejected it or did not receive it, the outcome is unknown.
 */
export function commitFault(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof GrpcError)) return unknown(error);
  if (/larger than max/.test(error.message)) return invalid(error);
  if (error.code === grpcCodes.resourceExhausted || error.wasNotSent || isNoLeader(error))
    return unavailable(error);
  return refusals.has(error.code) ? invalid(error) : unknown(error);
}

export const isCompacted = (error: unknown): boolean =>
  hasMessage(error, "etcdserver: mvcc: required revision has been compacted");

export const isFutureRevision = (error: unknown): boolean =>
  hasMessage(error, "etcdserver: mvcc: required revision is a future revision");

export const isLeaseGone = (error: unknown): boolean =>
  hasMessage(error, "etcdserver: requested lease not found");

const isNoLeader = (error: unknown): boolean => hasMessage(error, "etcdserver: no leader");

const hasMessage = (error: unknown, message: string): boolean =>
  error instanceof GrpcError && error.message === message;

/** With these codes, etcd has done nothing, and a retry would fail as well. */
const refusals: ReadonlySet<number> = new Set([
  grpcCodes.invalidArgument,
  grpcCodes.notFound,
  grpcCodes.alreadyExists,
  grpcCodes.permissionDenied,
  grpcCodes.failedPrecondition,
  grpcCodes.outOfRange,
  grpcCodes.unimplemented,
  grpcCodes.unauthenticated,
]);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const invalid = (cause: GrpcError): StoreError =>
  new StoreError("Invalid", `etcd rejected the request: ${cause.message}`, { cause });

const unavailable = (cause: unknown): StoreError =>
  new StoreError("Unavailable", `etcd is not available: ${messageOf(cause)}`, { cause });

const unknown = (cause: unknown): StoreError =>
  new StoreError(
    "UnknownOutcome",
    `it is not known whether etcd applied the commit: ${messageOf(cause)}`,
    {
      cause,
    },
  );
