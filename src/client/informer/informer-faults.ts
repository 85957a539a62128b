import { StatusError } from "../../api/meta/v1/status-error.ts";

/** What to do about a list or a watch that failed. */
export interface Remedy {
  /** Whether to go on where it stopped, or to list anew. */
  readonly next: "watch" | "list";
  /** Whether the version that was come to is of no use any more, not even for a list. */
  readonly isVersionLost: boolean;
  /** The shortest wait that the server asks for, in milliseconds. */
  readonly atLeastMs: number;
}

/** A server that cannot know what it was asked to go on from: it has gone back to an earlier state. */
export class VersionLost extends Error {
  override readonly name = "VersionLost";
}

/** A watch that ended at once: something is wrong, and asking again at once would not help. */
export class ShortWatch extends Error {
  override readonly name = "ShortWatch";

  constructor() {
    super("Unexpected watch close - watch lasted less than a second and no items received");
  }
}

/** What to do about a failure. */
export function remedyOf(error: unknown): Remedy {
  if (error instanceof VersionLost || isTooLarge(error))
    return { next: "list", isVersionLost: true, atLeastMs: 0 };
  // Nobody answered, or not to the end: what was received until then is as good as ever.
  if (!(error instanceof StatusError)) return { next: "watch", isVersionLost: false, atLeastMs: 0 };
  const atLeastMs = (error.details?.retryAfterSeconds ?? 0) * 1000;
  const isPassing = error.code === 429 || error.code >= 500;
  return { next: isPassing ? "watch" : "list", isVersionLost: false, atLeastMs };
}

/** Whether a version is so old that the server has forgotten it. */
export const isExpired = (error: unknown): boolean =>
  StatusError.is(error, "Expired", "Gone") || (error instanceof StatusError && error.code === 410);

/** Whether a version is one that the server has not come to. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.details?.causes ?? []).some(
    ({ reason, message }) =>
      reason === "ResourceVersionTooLarge" || message === "Too large resource version",
  );

/** Whether a server that refuses a streaming list would refuse it again: it does not know of them. */
export const refusesStreams = (error: unknown): boolean =>
  StatusError.is(error, "Invalid", "BadRequest", "MethodNotAllowed", "NotAcceptable");
