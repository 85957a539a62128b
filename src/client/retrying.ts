import { type Clock, sleep } from "../base/clock.ts";
import { header, type Transport, type TransportResponse } from "./transport.ts";

export interface RetryOptions {
  /** How often a call is made again; 10 if not given. */
  readonly attempts?: number | undefined;
  /** The longest that a server can ask to wait, in milliseconds; beyond it, the refusal is the answer. */
  readonly longestMs?: number | undefined;
}

/** Makes calls again that a server refuses for now, after as long as it asks to wait (`Retry-After`). */
export function retrying(
  transport: Transport,
  clock: Clock,
  { attempts = 10, longestMs = 60_000 }: RetryOptions = {},
): Transport {
  return async (request) => {
    for (let left = attempts; ; left--) {
      const response = await transport(request);
      const delay = askedDelay(response);
      if (delay === undefined || delay > longestMs || left <= 0) return response;
      // What is not wanted is read to its end, so that the connection can be used again.
      await response.value().catch(() => undefined);
      await sleep(clock, delay, request.signal);
    }
  };
}

/** The wait that an answer asks for, in milliseconds. */
function askedDelay(response: TransportResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const text = header(response, "retry-after");
  return text !== undefined && /^\d+$/.test(text) ? Number(text) * 1000 : undefined;
}
