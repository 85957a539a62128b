import { createHash, generateKeyPairSync, sign, verify } from "node:crypto";
import type { SigningKey, VerifyingKey } from "../../base/cryptography/token-key.ts";
import type { TokenIssuer } from "./service-account-tokens.ts";

/** A key pair for tests. */
export interface TestKey extends SigningKey, VerifyingKey {}

/** An issuer for tests; those that ask for no algorithm share one, as keys take their time. */
export function testTokenIssuer(algorithm?: "RS256" | "ES256"): TokenIssuer {
  if (algorithm === undefined) {
    shared ??= testTokenIssuer("ES256");
    return shared;
  }
  const key = testKey(algorithm);
  const issuer = "https://kubernetes.default.svc";
  return { issuers: [issuer], audiences: [issuer], signer: key, keys: [key] };
}

let shared: TokenIssuer | undefined;

/** A new key. */
export function testKey(algorithm: "RS256" | "ES256"): TestKey {
  const { publicKey, privateKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const dsaEncoding = "ieee-p1363";
  const der = publicKey.export({ type: "spki", format: "der" });
  return {
    id: createHash("sha256").update(der).digest("base64url"),
    algorithm,
    parameters: publicKey.export({ format: "jwk" }) as Record<string, string>,
    sign: (text) => sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding }),
    verify: (text, signature) =>
      verify("sha256", Buffer.from(text), { key: publicKey, dsaEncoding }, signature),
  };
}
