import type { SignatureKey } from "../../../base/cryptography/verify-signature.ts";
import {
  contentOf,
  DerReader,
  type Element,
  oidOf,
  tags,
  wholeOf,
} from "../../../base/der-reader.ts";
import { curves, isUncompressedPoint } from "./curves.ts";

/** A public key; those of X25519 and DSA are parsed, but cannot verify signatures. */
export type PublicKey =
  | SignatureKey
  | { readonly algorithm: "X25519"; readonly bytes: Uint8Array }
  | { readonly algorithm: "DSA"; readonly bytes: Uint8Array };

/** SubjectPublicKeyInfo: the algorithm with its parameters, and the bits of the key. */
export interface PublicKeyInfo {
  readonly oid: string;
  /** Empty if there are none. */
  readonly parameters: Uint8Array;
  readonly bits: Uint8Array;
}

const algorithms: Readonly<Record<string, PublicKey["algorithm"]>> = {
  "1.2.840.113549.1.1.1": "RSA",
  "1.2.840.10040.4.1": "DSA",
  "1.2.840.10045.2.1": "ECDSA",
  "1.3.101.112": "Ed25519",
  "1.3.101.110": "X25519",
};

/** Reads the algorithm and the bits of a key, for `parsePublicKey`. */
export function readPublicKeyInfo(element: Element): PublicKeyInfo {
  const reader = DerReader.inside(element);
  const { oid, parameters } = readAlgorithm(reader.sequence("AlgorithmIdentifier"));
  return { oid, parameters, bits: reader.bitString() };
}

/** An algorithm, and its parameters in DER. */
export function readAlgorithm(element: Element): {
  readonly oid: string;
  readonly parameters: Uint8Array;
} {
  const reader = DerReader.inside(element);
  const oid = reader.oid();
  return { oid, parameters: reader.isAtEnd ? new Uint8Array() : wholeOf(reader.any()) };
}

/** The key; undefined if its algorithm is unknown. Throws Go's error for a malformed one. */
export function parsePublicKey({ oid, parameters, bits }: PublicKeyInfo): PublicKey | undefined {
  const algorithm = algorithms[oid];
  switch (algorithm) {
    case undefined:
      return undefined;
    case "RSA":
      return parseRsa(parameters, bits);
    case "ECDSA":
      return parseEcdsa(parameters, bits);
    case "DSA":
      return { algorithm, bytes: bits };
    default:
      if (parameters.length > 0)
        throw new Error(`x509: ${algorithm} key encoded with illegal parameters`);
      if (algorithm === "Ed25519" && bits.length !== 32)
        throw new Error("x509: wrong Ed25519 public key size");
      return { algorithm, bytes: bits };
  }
}

/** Whether two keys are equal. */
export function sameKey(a: PublicKey | undefined, b: PublicKey | undefined): boolean {
  if (a?.algorithm === "RSA" && b?.algorithm === "RSA")
    return a.modulus === b.modulus && a.exponent === b.exponent;
  if (a?.algorithm === "ECDSA" && b?.algorithm === "ECDSA")
    return a.curve === b.curve && sameBytes(a.point, b.point);
  if (a?.algorithm === "Ed25519" && b?.algorithm === "Ed25519") return sameBytes(a.bytes, b.bytes);
  return false;
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** The size of an RSA modulus in whole bytes, as bits. */
export const modulusBits = (modulus: bigint): number =>
  Math.ceil(modulus.toString(16).length / 2) * 8;

function parseRsa(parameters: Uint8Array, bits: Uint8Array): PublicKey {
  const isNull = parameters.length === 2 && parameters[0] === tags.null && parameters[1] === 0;
  if (!isNull) throw new Error("x509: RSA key missing NULL parameters");
  const inner = attempt("x509: invalid RSA public key", () =>
    DerReader.inside(new DerReader(bits).sequence("")),
  );
  const modulus = attempt("x509: invalid RSA modulus", () => inner.integer(""));
  const exponent = attempt("x509: invalid RSA public exponent", () => inner.integer(""));
  if (modulus <= 0n) throw new Error("x509: RSA modulus is not a positive number");
  if (exponent <= 0n) throw new Error("x509: RSA public exponent is not a positive number");
  return { algorithm: "RSA", modulus, exponent };
}

function parseEcdsa(parameters: Uint8Array, bits: Uint8Array): PublicKey {
  const oid = attempt("x509: invalid ECDSA parameters", () =>
    oidOf(contentOf(new DerReader(parameters).element({ tag: tags.oid, goType: "" }))),
  );
  const curve = curves.find((known) => known.oid === oid);
  if (!curve) throw new Error("x509: unsupported elliptic curve");
  if (!isUncompressedPoint(curve, bits))
    throw new Error("x509: failed to unmarshal elliptic curve point");
  return { algorithm: "ECDSA", curve: curve.name, point: bits };
}

/** Runs a reader, and replaces the message of its errors. */
export function attempt<T>(fault: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(fault, { cause });
  }
}
