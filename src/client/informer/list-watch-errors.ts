import { StatusError } from "../../api/meta/v1/status-error.ts";

/** How to continue after a failed list or watch. */
export interface Recovery {
  /** Whether to resume the watch from the last resourceVersion, or to relist. */
  readonly next: "watch" | "list";
  /** Whether the last resourceVersion is useless even for a list. */
  readonly isVersionLost: boolean;
  /** The minimum delay that the server asks for, in milliseconds. */
  readonly atLeastMs: number;
}

/** The server does not have the last resourceVersion: it was restored to an earlier state. */
export class VersionLostError extends Error {
  override readonly name = "VersionLostError";
}

/**
 * A watch ended at once without events. Something is wrong, and a retry without backoff would not help.
 */
export class ShortWatchError extends Error {
  override readonly name = "ShortWatchError";

  constructor() {
    super("Unexpected watch close - watch lasted less than a second and no items received");
  }
}

/** Decides how to continue after an error. */
export function recoveryFrom(error: unknown): Recovery {
  if (error instanceof VersionLostError || isTooLarge(error))
    return { next: "list", isVersionLost: true, atLeastMs: 0 };
  // There was no complete response: the events until then are valid, so resume from there.
  if (!(error instanceof StatusError)) return { next: "watch", isVersionLost: false, atLeastMs: 0 };
  const atLeastMs = (error.details?.retryAfterSeconds ?? 0) * 1000;
  const isPassing = error.code === 429 || error.code >= 500;
  return { next: isPassing ? "watch" : "list", isVersionLost: false, atLeastMs };
}

/** Whether the server has compacted the requested resourceVersion. */
export const isExpired = (error: unknown): boolean =>
  StatusError.is(error, "Expired", "Gone") || (error instanceof StatusError && error.code === 410);

/** Whether the requested resourceVersion is newer than the server's. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.details?.causes ?? []).some(
    ({ reason, message }) =>
      reason === "ResourceVersionTooLarge" || message === "Too large resource version",
  );

/** Whether the server does not support streaming lists, so that a retry is pointless. */
export const isStreamingListUnsupported = (error: unknown): boolean =>
  StatusError.is(error, "Invalid", "BadRequest", "MethodNotAllowed", "NotAcceptable");
