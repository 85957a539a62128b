import type { HashName, VerifySignature } from "../../../base/cryptography/verify-signature.ts";
import { DerReader } from "../../../base/der-reader.ts";
import type { PublicKey } from "./public-key.ts";

/** How a message is signed; PSS is one of two paddings of RSA. */
export interface SignatureAlgorithm {
  readonly key: "RSA" | "ECDSA" | "Ed25519" | "DSA";
  readonly hash?: HashName | "MD5";
  readonly isPss?: true;
}

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  "1.2.840.113549.1.1.4": { key: "RSA", hash: "MD5" },
  "1.2.840.113549.1.1.5": { key: "RSA", hash: "SHA-1" },
  "1.3.14.3.2.29": { key: "RSA", hash: "SHA-1" },
  "1.2.840.113549.1.1.11": { key: "RSA", hash: "SHA-256" },
  "1.2.840.113549.1.1.12": { key: "RSA", hash: "SHA-384" },
  "1.2.840.113549.1.1.13": { key: "RSA", hash: "SHA-512" },
  "1.2.840.10040.4.3": { key: "DSA", hash: "SHA-1" },
  "2.16.840.1.101.3.4.3.2": { key: "DSA", hash: "SHA-256" },
  "1.2.840.10045.4.1": { key: "ECDSA", hash: "SHA-1" },
  "1.2.840.10045.4.3.2": { key: "ECDSA", hash: "SHA-256" },
  "1.2.840.10045.4.3.3": { key: "ECDSA", hash: "SHA-384" },
  "1.2.840.10045.4.3.4": { key: "ECDSA", hash: "SHA-512" },
};
const pss = "1.2.840.113549.1.1.10";
const ed25519 = "1.3.101.112";
const pssHashes: Readonly<Record<string, HashName>> = {
  "2.16.840.1.101.3.4.2.1": "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
};

/** The algorithm of an object identifier; undefined if it is unknown, or its parameters are invalid. */
export function signatureAlgorithm(
  oid: string,
  parameters: Uint8Array,
): SignatureAlgorithm | undefined {
  if (oid === ed25519) return parameters.length === 0 ? { key: "Ed25519" } : undefined;
  if (oid !== pss) return algorithms[oid];
  const hash = pssHash(parameters);
  return hash && { key: "RSA", hash, isPss: true };
}

/** The hash in the parameters of PSS. */
function pssHash(parameters: Uint8Array): HashName | undefined {
  try {
    const explicit = DerReader.inside(new DerReader(parameters).sequence("")).optional(0);
    const algorithm = explicit && DerReader.inside(explicit).sequence("");
    return algorithm && pssHashes[DerReader.inside(algorithm).oid()];
  } catch {
    return undefined;
  }
}

const unimplemented = "x509: cannot verify signature: algorithm unimplemented";
/** Go's names of key types. */
const goTypes: Readonly<Record<PublicKey["algorithm"], string>> = {
  RSA: "*rsa.PublicKey",
  ECDSA: "*ecdsa.PublicKey",
  Ed25519: "ed25519.PublicKey",
  DSA: "*dsa.PublicKey",
  X25519: "*ecdh.PublicKey",
};

/** Go's error for a signature that the key does not verify; undefined if it does. */
export function signatureFault(
  {
    algorithm,
    signed,
    signature,
  }: {
    readonly algorithm: SignatureAlgorithm | undefined;
    readonly signed: Uint8Array;
    readonly signature: Uint8Array;
  },
  key: PublicKey | undefined,
  verify: VerifySignature,
): string | undefined {
  if (!algorithm) return unimplemented;
  const { hash, isPss } = algorithm;
  if (hash === "MD5") return "x509: cannot verify signature: insecure algorithm MD5-RSA";
  if (!key || key.algorithm === "DSA" || key.algorithm === "X25519") return unimplemented;
  if (key.algorithm !== algorithm.key)
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${goTypes[key.algorithm]}`;
  if (!hash && key.algorithm !== "Ed25519") return unimplemented;
  if (key.algorithm === "RSA") {
    const bits = key.modulus.toString(2).length;
    if (bits < minRsaBits)
      return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  const isValid = verify(key, {
    message: signed,
    signature,
    ...(hash && { hash }),
    ...(isPss && { pssSalt: "hash-length" }),
  });
  return isValid ? undefined : failures[key.algorithm];
}

const minRsaBits = 1024;
const failures = {
  RSA: "crypto/rsa: verification error",
  ECDSA: "x509: ECDSA verification failure",
  Ed25519: "x509: Ed25519 verification failure",
} as const;
