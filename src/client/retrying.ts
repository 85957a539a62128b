import { type Clock, sleep } from "../base/clock.ts";
import { header, type Transport, type TransportResponse } from "./transport.ts";

export interface RetryOptions {
  /** The maximum number of retries. Default: 10. */
  readonly maxRetries?: number | undefined;
  /** Responses that ask for a longer delay, in milliseconds, are not retried. Default: one minute. */
  readonly maxDelayMs?: number | undefined;
}

/** Wraps a transport: repeats requests after the delay that the server asks for (`Retry-After`). */
export function retrying(
  transport: Transport,
  clock: Clock,
  { maxRetries = 10, maxDelayMs = 60_000 }: RetryOptions = {},
): Transport {
  return async (request) => {
    for (let left = maxRetries; ; left--) {
      const response = await transport(request);
      const delay = retryAfterMs(response);
      if (delay === undefined || delay > maxDelayMs || left <= 0) return response;
      // Read the body to its end: only then can the connection be reused.
      await response.value().catch(() => undefined);
      await sleep(clock, delay, request.signal);
    }
  };
}

/** The delay that a response asks for, in milliseconds. */
function retryAfterMs(response: TransportResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const text = header(response, "retry-after");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}
