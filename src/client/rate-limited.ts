import { type Clock, sleep } from "../base/clock.ts";
import { TokenBucket } from "../base/queue/token-bucket.ts";
import type { Transport } from "./transport.ts";

export interface RateLimit {
  /** Calls a second in the long run; any number if negative, and 5 if 0, as client-go has it. */
  readonly qps: number;
  /** Calls at once after a pause; 10 if 0. */
  readonly burst: number;
}

/** A transport that holds calls back, in their order, so that no more are made than a limit allows. */
export function rateLimited(
  transport: Transport,
  { qps, burst, clock }: RateLimit & { readonly clock: Clock },
): Transport {
  if (qps < 0) return transport;
  const bucket = new TokenBucket({ clock, rate: qps || usualQps, burst: burst || usualBurst });
  return async (request) => {
    request.signal?.throwIfAborted();
    const ms = bucket.reserve();
    if (ms > 0) await sleep(clock, ms, request.signal);
    return transport(request);
  };
}

const usualQps = 5;
const usualBurst = 10;
