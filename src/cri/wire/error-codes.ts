import type { RuntimeErrorCode } from "../runtime-service.ts";

/** The numbers of gRPC's codes. */
export const errorNumbers: Readonly<Record<RuntimeErrorCode, number>> = {
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
};

/** The code with a number of gRPC. */
export const errorCodeOf = (number: number): RuntimeErrorCode =>
  codes.find((code) => errorNumbers[code] === number) ?? "Unknown";

const codes = Object.keys(errorNumbers) as RuntimeErrorCode[];
