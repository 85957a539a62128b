import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import { StoreError, type StoreErrorCode } from "../store.ts";

const { invalidArgument, outOfRange, notFound, failedPrecondition, unavailable, dataLoss } =
  grpcCodes;

/** The errors of etcd, word for word. */
export const etcdErrors = {
  emptyKey: () => new GrpcError(invalidArgument, "etcdserver: key is not provided"),
  keyNotFound: () => new GrpcError(invalidArgument, "etcdserver: key not found"),
  valueProvided: () => new GrpcError(invalidArgument, "etcdserver: value is provided"),
  leaseProvided: () => new GrpcError(invalidArgument, "etcdserver: lease is provided"),
  tooManyOps: () =>
    new GrpcError(invalidArgument, "etcdserver: too many operations in txn request"),
  duplicateKey: () =>
    new GrpcError(invalidArgument, "etcdserver: duplicate key given in txn request"),
  requestTooLarge: () => new GrpcError(invalidArgument, "etcdserver: request is too large"),
  compacted: () =>
    new GrpcError(outOfRange, "etcdserver: mvcc: required revision has been compacted"),
  futureRevision: () =>
    new GrpcError(outOfRange, "etcdserver: mvcc: required revision is a future revision"),
  leaseNotFound: () => new GrpcError(notFound, "etcdserver: requested lease not found"),
  leaseExists: () => new GrpcError(failedPrecondition, "etcdserver: lease already exists"),
  leaseTtlTooLarge: () => new GrpcError(outOfRange, "etcdserver: too large lease TTL"),
  authNotEnabled: () =>
    new GrpcError(failedPrecondition, "etcdserver: authentication is not enabled"),
  stopped: () => new GrpcError(unavailable, "etcdserver: server stopped"),
  timedOut: () => new GrpcError(unavailable, "etcdserver: request timed out"),
  noSpace: () =>
    new GrpcError(grpcCodes.resourceExhausted, "etcdserver: mvcc: database space exceeded"),
  /** etcd keeps a copy while it sends a snapshot, and has no such error. */
  snapshotCompacted: () =>
    new GrpcError(
      unavailable,
      "etcdserver: what the snapshot was still to hold has been compacted meanwhile: take it again",
    ),
  corrupt: () => new GrpcError(dataLoss, "etcdserver: corrupt cluster"),
  /** A limitation of this store: keys must be UTF-8. */
  keyNotText: () =>
    new GrpcError(
      invalidArgument,
      "etcdserver: the key is not well-formed UTF-8: this server stores no other keys",
    ),
  keyReserved: () =>
    new GrpcError(
      invalidArgument,
      "etcdserver: the key is one of those under which this server keeps leases",
    ),
  notSupported: (what: string) =>
    new GrpcError(grpcCodes.unimplemented, `etcdserver: this server has no ${what}`),
} as const;

const translations: Partial<Record<StoreErrorCode, () => GrpcError>> = {
  Compacted: etcdErrors.compacted,
  FutureRevision: etcdErrors.futureRevision,
  // The commit may or may not have been applied, which is what a timeout means to etcd clients.
  UnknownOutcome: etcdErrors.timedOut,
  NoSpace: etcdErrors.noSpace,
  Corrupt: etcdErrors.corrupt,
  Closed: etcdErrors.stopped,
};

/** Converts an error of the store to that of etcd. */
export function asEtcdError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const translated = translations[error.code]?.();
  if (translated) return translated;
  const code = error.code === "Invalid" ? invalidArgument : unavailable;
  return new GrpcError(code, `etcdserver: ${error.message}`, { cause: error });
}
