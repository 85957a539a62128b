import type { Clock } from "../../../base/clock.ts";
import type { VerifySignature } from "../../../base/cryptography/verify-signature.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { headerOf } from "../../../base/http/http1-message.ts";
import { TokenBucket } from "../../../base/queue/token-bucket.ts";
import { member } from "../../../schema/json/json-value.ts";
import type { ParsedJwt } from "../../../schema/values/jwt.ts";
import { quote } from "../../../schema/values/quote.ts";
import { cacheLifetime } from "./cache-lifetime.ts";
import type { IssuerRequests } from "./issuer-requests.ts";
import { isSignedWith, type WebKey, webKeys } from "./web-key.ts";

export interface RemoteKeysOptions {
  readonly url: string;
  readonly requests: Pick<IssuerRequests, "get">;
  readonly clock: Clock;
  readonly verify: VerifySignature;
  /** Called with each key set, or without one where it could not be fetched. */
  readonly onFetch?: (keySet?: string) => void;
}

/** How often strangers can make the server ask the issuer for keys: tokens with an unknown key are cheap to make. */
const fetchLimit = { rate: 0.2, burst: 10 };

/** How long before keys expire they are fetched anew, for a token that they do not verify. */
const earlyMs = 30_000;

/**
 * The keys of an issuer, which change. They are fetched when a token names a key that is not known, or when they
 * have expired and do not verify a token; until then they stay, so that issuers may be unavailable.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  readonly #limit: TokenBucket;
  #keys: readonly WebKey[] = [];
  #expires = 0;
  #fetching: Promise<readonly WebKey[]> | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
    this.#limit = new TokenBucket({ clock: options.clock, ...fetchLimit });
  }

  /** Throws unless a key of the issuer signed the token. */
  async verify(jwt: ParsedJwt): Promise<void> {
    if (this.#isSigned(jwt, this.#keys)) return;
    const isKnown = candidates(jwt, this.#keys).length > 0;
    const isFresh = this.#options.clock.now() + earlyMs < this.#expires;
    if ((isKnown && isFresh) || !this.#mayFetch()) throw new Error(unverified);
    let keys: readonly WebKey[];
    try {
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
      keys = await this.#fetching;
    } catch (error) {
      throw new Error(`fetching keys ${errorMessage(error)}`);
    }
    if (!this.#isSigned(jwt, keys)) throw new Error(unverified);
  }

  #isSigned(jwt: ParsedJwt, keys: readonly WebKey[]): boolean {
    return candidates(jwt, keys).some((key) => isSignedWith(key, jwt, this.#options.verify));
  }

  /** Whoever waits for keys that are being fetched costs nothing. */
  #mayFetch(): boolean {
    return this.#fetching !== undefined || this.#limit.tryTake();
  }

  async #fetch(): Promise<readonly WebKey[]> {
    const { url, requests, clock, onFetch } = this.#options;
    try {
      const response = await requests.get(url).catch((error: unknown) => {
        throw new Error(`oidc: get keys failed ${errorMessage(error)}`);
      });
      const { code, status, headers, text } = response;
      if (code !== 200) throw new Error(`oidc: get keys failed: ${status} ${text}`);
      this.#keys = webKeys(
        parseDocument(response, (fault) => `oidc: failed to decode keys: ${fault} ${text}`),
      );
      this.#expires = clock.now() + cacheLifetime(headers, clock.now());
      onFetch?.(text);
      return this.#keys;
    } catch (error) {
      onFetch?.();
      throw error;
    }
  }
}

const unverified = "failed to verify id token signature";

/** The keys that may have signed a token: all, unless it names one. */
function candidates({ header }: ParsedJwt, keys: readonly WebKey[]): readonly WebKey[] {
  const id = member(header, "kid");
  return typeof id === "string" && id !== "" ? keys.filter((key) => key.id === id) : keys;
}

/** The JSON of a response; throws what `explain` makes of the fault. */
export function parseDocument(
  { headers, text }: { readonly headers: Parameters<typeof headerOf>[0]; readonly text: string },
  explain: (fault: string) => string,
): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const type = headerOf(headers, "content-type") ?? "";
    const isJson = /^\s*application\/json\s*(?:;|$)/i.test(type);
    const why = "invalid JSON";
    throw new Error(
      explain(
        isJson
          ? `got Content-Type = application/json, but could not unmarshal as JSON: ${why}`
          : `expected Content-Type = application/json, got ${quote(type)}: ${why}`,
      ),
    );
  }
}
