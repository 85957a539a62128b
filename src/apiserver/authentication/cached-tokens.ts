import type { Clock } from "../../base/clock.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";
import type { Hash } from "../documents/served-discovery.ts";
import type { TokenCacheMetrics } from "../metrics/token-cache-metrics.ts";
import type { Authenticated, Refused, TokenAuthenticator } from "./token-authenticator.ts";

export interface TokenCacheOptions {
  /** How long outcomes are kept; 0 for no cache. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly sha256: Hash;
  readonly metrics: TokenCacheMetrics;
}

type Outcome = Authenticated | Refused;

/** Twice what a cluster of 5000 nodes and 10,000 namespaces uses. */
const capacity = 32_768;

/**
 * Keeps outcomes for a while, under hashes of tokens. Errors are not kept. Requests with the same token that arrive
 * together are authenticated once.
 */
export function cachedTokens(
  tokens: TokenAuthenticator,
  { ttlMs, clock, ticks, sha256, metrics }: TokenCacheOptions,
): TokenAuthenticator {
  const known = new ExpiringMap<string, Outcome>({ clock, capacity });
  const running = new Map<string, Promise<Outcome>>();
  const reviewed = async (key: string, token: string, audiences: readonly string[]) => {
    const ended = metrics.fetching();
    let isOk = false;
    try {
      const outcome = await tokens.authenticate(token, audiences);
      isOk = "user" in outcome || outcome.errors.length === 0;
      if (isOk) known.set(key, outcome, ttlMs);
      return outcome;
    } finally {
      ended(isOk);
    }
  };
  const begin = (key: string, token: string, audiences: readonly string[]) => {
    const outcome = reviewed(key, token, audiences).finally(() => running.delete(key));
    running.set(key, outcome);
    return outcome;
  };
  return {
    async authenticate(token, audiences) {
      const begun = ticks();
      const key = String.fromCharCode(...sha256(JSON.stringify([token, ...audiences])));
      const found = known.get(key);
      try {
        if (found !== undefined) return found;
        const other = running.get(key);
        if (other === undefined) return await begin(key, token, audiences);
        const unblocked = metrics.blocking();
        return await other.finally(unblocked);
      } finally {
        metrics.requested(found !== undefined, (ticks() - begun) / 1000);
      }
    },
  };
}
