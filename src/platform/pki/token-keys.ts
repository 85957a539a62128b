import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type {
  SignatureAlgorithm,
  SigningKey,
  VerifyingKey,
} from "../../base/cryptography/token-key.ts";

/** The private key in a PEM text, to sign tokens with; other blocks are skipped. */
export function signingKey(pem: string): SigningKey {
  for (const block of pemBlocks(pem)) {
    const key = attempt(() => createPrivateKey(block));
    const kind = key && signatureOf(key);
    if (!key || !kind) continue;
    return {
      id: keyId(createPublicKey(key)),
      algorithm: kind.algorithm,
      sign: (text) => sign(kind.hash, Buffer.from(text), { key, dsaEncoding }),
    };
  }
  throw new Error("data does not contain a valid RSA or ECDSA private key");
}

/** The public keys in a PEM text, at least one; those of private keys and certificates count, too. */
export function verifyingKeys(pem: string): VerifyingKey[] {
  const keys = pemBlocks(pem).flatMap((block) => {
    const key = attempt(() => createPublicKey(block));
    const kind = key && signatureOf(key);
    return key && kind ? [verifyingKey(key, kind)] : [];
  });
  if (keys.length === 0)
    throw new Error("data does not contain any valid RSA or ECDSA public keys");
  return keys;
}

/** A public key in SPKI form (DER) that somebody else gave an identifier; undefined if it is of another kind. */
export function namedVerifyingKey(id: string, spki: Uint8Array): VerifyingKey | undefined {
  const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  const kind = signatureOf(key);
  return kind && { ...verifyingKey(key, kind), id };
}

function verifyingKey(key: KeyObject, { algorithm, hash }: Signature): VerifyingKey {
  const { kty = "", crv, x, y, n, e } = key.export({ format: "jwk" });
  const members = Object.entries({ kty, crv, x, y, n, e });
  return {
    id: keyId(key),
    algorithm,
    parameters: Object.fromEntries(
      members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    verify: (text, signature) => verify(hash, Buffer.from(text), { key, dsaEncoding }, signature),
  };
}

interface Signature {
  readonly algorithm: SignatureAlgorithm;
  readonly hash: string;
}

/** JSON web tokens have ECDSA signatures as two numbers side by side, not as ASN.1. */
const dsaEncoding = "ieee-p1363";

const byCurve: Readonly<Record<string, Signature>> = {
  prime256v1: { algorithm: "ES256", hash: "sha256" },
  secp384r1: { algorithm: "ES384", hash: "sha384" },
  secp521r1: { algorithm: "ES512", hash: "sha512" },
};

function signatureOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): Signature | undefined {
  if (asymmetricKeyType === "rsa") return { algorithm: "RS256", hash: "sha256" };
  return asymmetricKeyType === "ec" ? byCurve[asymmetricKeyDetails?.namedCurve ?? ""] : undefined;
}

const keyId = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");

const pemBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN ([^-\n]+)-----[\s\S]*?-----END \1-----/g) ?? [];

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
