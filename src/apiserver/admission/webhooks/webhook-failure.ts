/** A webhook that cannot be called, or a response that cannot be used: its `failurePolicy` applies. */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";
  /** The HTTP status that metrics show. */
  readonly code: number;
  /** Why the request itself is over: its time is up, or the caller has gone. Undefined while it goes on. */
  readonly end: RequestEnd | undefined;

  constructor(
    message: string,
    {
      code,
      end,
      cause,
    }: {
      readonly code: number;
      readonly end?: RequestEnd | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.end = end;
  }
}

/** The end of a request, in Go's words. */
export type RequestEnd = "context deadline exceeded" | "context canceled";
