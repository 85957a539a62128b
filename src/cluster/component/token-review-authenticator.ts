import { createHash } from "node:crypto";
import { TokenReview } from "../../api/authentication/v1/token-review.ts";
import {
  type Authenticated,
  type Refused,
  refused,
  type TokenAuthenticator,
  unknownToken,
} from "../../apiserver/authentication/token-authenticator.ts";
import { type Clock, withDeadline } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";
import type { Client } from "../../client/client.ts";

export interface TokenReviewOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** How long responses are cached. */
  readonly ttlMs: number;
}

/** Authenticates tokens with TokenReviews of the API server. */
export function tokenReviewAuthenticator({
  client,
  clock,
  ttlMs,
}: TokenReviewOptions): TokenAuthenticator {
  const known = new ExpiringMap<string, Authenticated | Refused>({ clock, capacity: 1000 });
  const ask = async (token: string): Promise<Authenticated | Refused> => {
    const { status } = await withDeadline({ clock, ms: timeoutMs }, (signal) =>
      client.create(TokenReview, { spec: { token } }, { signal }),
    );
    if (status?.error) return refused(status.error);
    if (!status?.authenticated) return unknownToken;
    const { username = "", uid, groups = [], extra } = status.user ?? {};
    return {
      audiences: status.audiences ?? [],
      user: { name: username, groups, ...(uid && { uid }), ...(extra && { extra }) },
    };
  };
  return {
    async authenticate(token) {
      const key = createHash("sha256").update(token).digest("base64");
      const before = known.get(key);
      if (before) return before;
      try {
        const outcome = await ask(token);
        known.set(key, outcome, ttlMs);
        return outcome;
      } catch (error) {
        return refused(`the token cannot be reviewed: ${errorMessage(error)}`);
      }
    },
  };
}

const timeoutMs = 10_000;
