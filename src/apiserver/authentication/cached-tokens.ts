import type { Clock } from "../../base/clock.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";
import type { Hash } from "../documents/served-discovery.ts";
import type { Authenticated, Refused, TokenAuthenticator } from "./token-authenticator.ts";

export interface TokenCacheOptions {
  /** How long outcomes are kept; 0 for no cache. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly sha256: Hash;
}

/** Twice what a cluster of 5000 nodes and 10,000 namespaces uses. */
const capacity = 32_768;

/**
 * Keeps outcomes for a while, under hashes of tokens. Errors are not kept. Requests with the same token that arrive
 * together are authenticated once.
 */
export function cachedTokens(
  tokens: TokenAuthenticator,
  { ttlMs, clock, sha256 }: TokenCacheOptions,
): TokenAuthenticator {
  const known = new ExpiringMap<string, Authenticated | Refused>({ clock, capacity });
  const running = new Map<string, Promise<Authenticated | Refused>>();
  const authenticate = async (key: string, token: string, audiences: readonly string[]) => {
    const outcome = await tokens.authenticate(token, audiences);
    if ("user" in outcome || outcome.errors.length === 0) known.set(key, outcome, ttlMs);
    return outcome;
  };
  return {
    authenticate(token, audiences) {
      const key = String.fromCharCode(...sha256(JSON.stringify([token, ...audiences])));
      const found = known.get(key) ?? running.get(key);
      if (found !== undefined) return found;
      const outcome = authenticate(key, token, audiences).finally(() => running.delete(key));
      running.set(key, outcome);
      return outcome;
    },
  };
}
