import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Fields, Log } from "../../base/log.ts";

/** Logs why work failed: as an error, or at level info where the failure is part of normal work. */
export function logFailure(log: Log, message: string, error: unknown, fields?: Fields): void {
  if (isExpectedFailure(error)) log.info(message, { ...fields, error: errorMessage(error) });
  else log.error(message, error, fields);
}

/**
 * Whether the object is gone, or another client changed it first. The retry reads the newer state, so
 * nobody needs to act on it.
 */
function isExpectedFailure(error: unknown): boolean {
  if (error instanceof StatusError) return StatusError.is(error, "NotFound", "Conflict");
  if (error instanceof AggregateError) return error.errors.every(isExpectedFailure);
  return error instanceof Error && error.cause !== undefined && isExpectedFailure(error.cause);
}
