import { bigintOf, DerReader } from "./der.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { verifyEcdsa } from "./elliptic-curve.ts";
import type { PublicKey } from "./public-key.ts";
import { verifyPkcs1, verifyPss } from "./rsa.ts";
import { digest, type HashName } from "./sha.ts";

/** How something is signed; PSS is a way to sign with RSA. */
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

/** What an identifier stands for; undefined where it is not known, or has parameters of no use. */
export function signatureAlgorithm(
  oid: string,
  parameters: Uint8Array,
): SignatureAlgorithm | undefined {
  if (oid === ed25519) return parameters.length === 0 ? { key: "Ed25519" } : undefined;
  if (oid !== pss) return algorithms[oid];
  const hash = pssHash(parameters);
  return hash && { key: "RSA", hash, isPss: true };
}

/** The hash that the parameters of PSS begin with. */
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
/** How Go names the type of a key. */
const goTypes: Readonly<Record<PublicKey["algorithm"], string>> = {
  RSA: "*rsa.PublicKey",
  ECDSA: "*ecdsa.PublicKey",
  Ed25519: "ed25519.PublicKey",
  DSA: "*dsa.PublicKey",
  X25519: "*ecdh.PublicKey",
};

/** Why a signature is not one of the key, in Go's words; undefined where it is. */
export function signatureFault(
  algorithm: SignatureAlgorithm | undefined,
  { signed, signature }: { readonly signed: Uint8Array; readonly signature: Uint8Array },
  key: PublicKey | undefined,
): string | undefined {
  if (!algorithm) return unimplemented;
  if (algorithm.hash === "MD5") return "x509: cannot verify signature: insecure algorithm MD5-RSA";
  if (!key || key.algorithm === "DSA" || key.algorithm === "X25519") return unimplemented;
  if (key.algorithm !== algorithm.key)
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${goTypes[key.algorithm]}`;
  const { hash } = algorithm;
  if (key.algorithm === "Ed25519")
    return verifyEd25519(key.bytes, signed, signature)
      ? undefined
      : "x509: Ed25519 verification failure";
  if (!hash) return unimplemented;
  const hashed = digest(hash, signed);
  if (key.algorithm === "ECDSA")
    return isEcdsaSignature(key, hashed, signature)
      ? undefined
      : "x509: ECDSA verification failure";
  return rsaFault(algorithm, key, { hash, hashed, signature });
}

type Key<A> = Extract<PublicKey, { readonly algorithm: A }>;

function rsaFault(
  { isPss }: SignatureAlgorithm,
  key: Key<"RSA">,
  signed: { hash: HashName; hashed: Uint8Array; signature: Uint8Array },
): string | undefined {
  const bits = key.modulus.toString(2).length;
  if (bits < 1024)
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  const isValid = isPss
    ? verifyPss(key, { ...signed, saltLength: signed.hashed.length })
    : verifyPkcs1(key, signed);
  return isValid ? undefined : "crypto/rsa: verification error";
}

/** Whether a signature in DER, a sequence of r and s, is one of a digest. */
export function isEcdsaSignature(
  { curve, point }: Key<"ECDSA">,
  hashed: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const outer = new DerReader(signature);
    const inner = DerReader.inside(outer.sequence(""));
    const r = inner.integer("");
    const s = inner.integer("");
    if (!outer.isAtEnd || !inner.isAtEnd) return false;
    return verifyEcdsa(curve, point, { hash: truncated(hashed, curve.bits), r, s });
  } catch {
    return false;
  }
}

/** The first bits of a digest, as many as the order of the curve has. */
function truncated(hashed: Uint8Array, bits: number): bigint {
  const excess = hashed.length * 8 - bits;
  return excess > 0 ? bigintOf(hashed) >> BigInt(excess) : bigintOf(hashed);
}
