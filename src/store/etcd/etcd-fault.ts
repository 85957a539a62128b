import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import { StoreError } from "../store.ts";

/** A failed read or a write that does no harm twice, as the store tells of it. */
export function readFault(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof GrpcError)) return unavailable(error);
  return refusals.has(error.code) ? invalid(error) : unavailable(error);
}

/** A failed commit: unless etcd refused it, or never had it, nobody knows what became of it. */
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

/** By these codes etcd says that it did nothing, and would do nothing the next time. */
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

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const invalid = (cause: GrpcError): StoreError =>
  new StoreError("Invalid", `etcd refused it: ${cause.message}`, { cause });

const unavailable = (cause: unknown): StoreError =>
  new StoreError("Unavailable", `etcd is not available: ${said(cause)}`, { cause });

const unknown = (cause: unknown): StoreError =>
  new StoreError("UnknownOutcome", `it is not known whether etcd took it: ${said(cause)}`, {
    cause,
  });
