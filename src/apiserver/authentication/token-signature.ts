import type { VerifyingKey } from "../../base/cryptography/token-key.ts";
import { isNull } from "../../schema/json/json-value.ts";
import type { ParsedJwt } from "../../schema/values/jwt.ts";
import type { Hash } from "../documents/served-discovery.ts";

/** The keys at this moment; another list where one of them has changed. */
interface KeySource {
  readonly keys: readonly VerifyingKey[];
}

/** Verifies signatures of tokens and returns the error, if any; valid tokens are remembered until keys change. */
export function signatureCheck(
  source: KeySource,
  sha256: Hash,
): (token: string, jwt: ParsedJwt) => string | undefined {
  const genuine = new Set<string>();
  let { keys } = source;
  return (token, jwt) => {
    if (source.keys !== keys) genuine.clear();
    keys = source.keys;
    const hash = sha256(token).join(".");
    if (genuine.has(hash)) return undefined;
    const fault = verifyWith(keys, jwt);
    if (fault !== undefined) return fault;
    if (genuine.size >= maxRemembered) genuine.delete(genuine.values().next().value ?? "");
    genuine.add(hash);
    return undefined;
  };
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
