import { type Clock, sleep } from "../base/clock.ts";
import { TokenBucket } from "../base/queue/token-bucket.ts";
import type { Transport } from "./transport.ts";

export interface RateLimit {
  /** Average requests per second. As in client-go, negative is unlimited and 0 is the default of 5. */
  readonly qps: number;
  /** Requests that may be sent at once after a pause; 0 is the default of 10. */
  readonly burst: number;
}

/** Wraps a transport: delays requests, in their order, to stay within a rate limit. */
export function rateLimited(
  transport: Transport,
  { qps, burst, clock }: RateLimit & { readonly clock: Clock },
): Transport {
  if (qps < 0) return transport;
  const bucket = new TokenBucket({ clock, rate: qps || defaultQps, burst: burst || defaultBurst });
  return async (request) => {
    request.signal?.throwIfAborted();
    const ms = bucket.reserve();
    if (ms > 0) await sleep(clock, ms, request.signal);
    return transport(request);
  };
}

const defaultQps = 5;
const defaultBurst = 10;
