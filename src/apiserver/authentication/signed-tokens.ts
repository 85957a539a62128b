import type { VerifyingKey } from "../../base/cryptography/token-key.ts";
import { isNull } from "../../schema/json/json-value.ts";
import { type ParsedJwt, parseJwt } from "../../schema/values/jwt.ts";
import type { Hash } from "../documents/served-discovery.ts";
import {
  type Authenticated,
  type Refused,
  type TokenAuthenticator,
  unknownToken,
} from "./token-authenticator.ts";

/** The keys at this moment; another list where one of them has changed. */
interface KeySource {
  readonly keys: readonly VerifyingKey[];
}

/** A token that was taken apart. */
export interface SignedToken extends Pick<ParsedJwt, "header" | "claims"> {
  readonly token: string;
  /** The same object for each use of a token that has been verified. */
  readonly identity: object;
  /** The error about its signature, if any; what is valid is remembered until keys change. */
  verify(): string | undefined;
}

/** Authenticates signed tokens of some issuers. */
export interface SignedTokenAuthenticator {
  knows(issuer: unknown): boolean;
  authenticate(token: SignedToken, audiences: readonly string[]): Promise<Authenticated | Refused>;
}

/**
 * Takes tokens apart for the authenticators of their issuers, in order. Parts and signatures of valid tokens are
 * remembered, under hashes: they are most of what a token costs.
 */
export function signedTokens(
  source: KeySource,
  sha256: Hash,
  authenticators: readonly SignedTokenAuthenticator[],
): TokenAuthenticator {
  const remembered = new RememberedTokens(source, sha256);
  return {
    async authenticate(token, audiences) {
      const found = remembered.find(token);
      if (!found) return unknownToken;
      const errors: string[] = [];
      let annotations: Refused["annotations"];
      for (const authenticator of authenticators) {
        if (!authenticator.knows(found.claims.iss)) continue;
        const outcome = await authenticator.authenticate(found, audiences);
        if ("user" in outcome) return outcome;
        errors.push(...outcome.errors);
        annotations = { ...annotations, ...outcome.annotations };
      }
      return { errors, annotations };
    },
  };
}

/** What is kept of a valid token: nothing by which it could be used. */
type Kept = Pick<ParsedJwt, "header" | "claims">;

class RememberedTokens {
  readonly #source: KeySource;
  readonly #sha256: Hash;
  readonly #genuine = new Map<string, Kept>();
  #keys: readonly VerifyingKey[];

  constructor(source: KeySource, sha256: Hash) {
    this.#source = source;
    this.#sha256 = sha256;
    this.#keys = source.keys;
  }

  find(token: string): SignedToken | undefined {
    // Others, such as those of bootstrapping, cost no hash.
    if (!token.includes(".", token.indexOf(".") + 1)) return undefined;
    const hash = textOf(this.#sha256(token));
    const known = this.#current().get(hash);
    if (known) return { ...known, token, identity: known, verify: () => undefined };
    const jwt = parseJwt(token);
    if (!jwt) return undefined;
    const { header, claims } = jwt;
    const kept: Kept = { header, claims };
    return {
      ...{ header, claims, token, identity: kept },
      verify: () => {
        const genuine = this.#current();
        const fault = verifyWith(this.#keys, jwt);
        if (fault !== undefined) return fault;
        if (genuine.size >= maxRemembered) genuine.delete(genuine.keys().next().value ?? "");
        genuine.set(hash, kept);
        return undefined;
      },
    };
  }

  /** The tokens that are valid with the keys of now. */
  #current(): Map<string, Kept> {
    if (this.#source.keys !== this.#keys) this.#genuine.clear();
    this.#keys = this.#source.keys;
    return this.#genuine;
  }
}

/** Bytes as a short text: half as many characters, from a list, because spreading bytes is slow. */
function textOf(bytes: Uint8Array): string {
  const characters: number[] = [];
  for (let i = 0; i < bytes.length; i += 2)
    characters.push((bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8));
  return String.fromCharCode(...characters);
}

/** The error about a signature; a key accepts its own algorithm only. */
function verifyWith(
  keys: readonly VerifyingKey[],
  { header, signed, signature }: ParsedJwt,
): string | undefined {
  const { kid } = header;
  const isNamed = typeof kid === "string" && kid !== "";
  const candidates = isNamed ? keys.filter(({ id }) => id === kid) : keys;
  if (candidates.length === 0) return "invalid signature, no keys found";
  const isGenuine = candidates.some(
    ({ algorithm, verify }) => header.alg === algorithm && verify(signed, signature),
  );
  // A critical header must be understood, and this server understands none.
  return isGenuine && isNull(header.crit)
    ? undefined
    : "go-jose/go-jose: error in cryptographic primitive";
}

/** How many valid tokens are remembered, by their hashes. */
const maxRemembered = 4096;
