/** gRPC's status codes. */
export const grpcCodes = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** A call that failed. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** Whether the server has certainly not acted on it: it was never sent, or refused unprocessed. */
  readonly wasNotSent: boolean;

  constructor(
    code: number,
    message: string,
    options: { readonly wasNotSent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.wasNotSent = options.wasNotSent ?? false;
  }
}
