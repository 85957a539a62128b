import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import type {
  CurveName,
  SignatureKey,
  SignedMessage,
} from "../../base/cryptography/verify-signature.ts";
import { bitString, integer, nothing, oid, sequence } from "./der.ts";

/** Verifies signatures with Node's own cryptography. */
export function verifySignature(key: SignatureKey, signed: SignedMessage): boolean {
  const { message, signature, hash, pssSalt } = signed;
  try {
    const options = { key: keyObject(key), ...(pssSalt && pssPadding(pssSalt)) };
    return verify(hash?.replace("-", "") ?? null, message, options, signature);
  } catch {
    // OpenSSL throws where it cannot read the key, or the key is too small for the hash.
    return false;
  }
}

const pssPadding = (salt: "hash-length" | "any-length") => ({
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength:
    salt === "hash-length" ? constants.RSA_PSS_SALTLEN_DIGEST : constants.RSA_PSS_SALTLEN_AUTO,
});

const keyObject = (key: SignatureKey): KeyObject =>
  createPublicKey({ key: encodeKey(key), format: "der", type: "spki" });

/** The key as a SubjectPublicKeyInfo. */
function encodeKey(key: SignatureKey): Buffer {
  switch (key.algorithm) {
    case "RSA": {
      const numbers = sequence(integer(bigEndian(key.modulus)), integer(bigEndian(key.exponent)));
      return sequence(sequence(oid("1.2.840.113549.1.1.1"), nothing()), bitString(numbers));
    }
    case "ECDSA": {
      const algorithm = sequence(oid("1.2.840.10045.2.1"), oid(curveOids[key.curve]));
      return sequence(algorithm, bitString(key.point));
    }
    case "Ed25519":
      return sequence(sequence(oid("1.3.101.112")), bitString(key.bytes));
  }
}

const curveOids: Readonly<Record<CurveName, string>> = {
  "P-224": "1.3.132.0.33",
  "P-256": "1.2.840.10045.3.1.7",
  "P-384": "1.3.132.0.34",
  "P-521": "1.3.132.0.35",
};

function bigEndian(value: bigint): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}
