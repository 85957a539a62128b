import { constants, generateKeyPairSync, type KeyObject, sign as nodeSign } from "node:crypto";
import { expect, test } from "vitest";
import { verifySignature } from "../../../../test/verify-signature.ts";
import { DerReader } from "../../../base/der-reader.ts";
import { type PublicKey, parsePublicKey, readPublicKeyInfo } from "./public-key.ts";
import { type SignatureAlgorithm, signatureFault } from "./signature.ts";

const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const smallRsa = generateKeyPairSync("rsa", { modulusLength: 768 });
const ed25519 = generateKeyPairSync("ed25519");
const ec = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const p256 = ec("P-256");

const read = (key: KeyObject): PublicKey | undefined => {
  const spki = key.export({ type: "spki", format: "der" });
  return parsePublicKey(readPublicKeyInfo(new DerReader(spki).sequence("")));
};

const pairs: readonly [
  name: string,
  pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  algorithm: SignatureAlgorithm,
  fault: string,
][] = [
  ["RSA", rsa, { key: "RSA", hash: "SHA-256" }, "crypto/rsa: verification error"],
  ["RSA", rsa, { key: "RSA", hash: "SHA-1" }, "crypto/rsa: verification error"],
  ["PSS", rsa, { key: "RSA", hash: "SHA-384", isPss: true }, "crypto/rsa: verification error"],
  ["P-224", ec("P-224"), { key: "ECDSA", hash: "SHA-256" }, "x509: ECDSA verification failure"],
  ["P-256", p256, { key: "ECDSA", hash: "SHA-512" }, "x509: ECDSA verification failure"],
  ["P-384", ec("P-384"), { key: "ECDSA", hash: "SHA-384" }, "x509: ECDSA verification failure"],
  ["P-521", ec("P-521"), { key: "ECDSA", hash: "SHA-512" }, "x509: ECDSA verification failure"],
  ["Ed25519", ed25519, { key: "Ed25519" }, "x509: Ed25519 verification failure"],
];

const sign = (message: Uint8Array, key: KeyObject, { hash, isPss }: SignatureAlgorithm) =>
  nodeSign(hash?.replace("-", "") ?? null, message, {
    key,
    ...(isPss
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : {}),
  });

test.each(pairs)("signatureFault: %s signs one message only", (_, pair, algorithm, fault) => {
  const message = bytesOf(100);
  const signature = sign(message, pair.privateKey, algorithm);
  const key = read(pair.publicKey);
  const check = (signed: Uint8Array, by: Uint8Array) =>
    signatureFault({ algorithm, signed, signature: by }, key, verifySignature);
  const broken = Uint8Array.from(signature);
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
  expect([
    check(message, signature),
    check(bytesOf(101), signature),
    check(message, broken),
    check(message, signature.subarray(1)),
    check(message, new Uint8Array()),
  ]).toEqual([undefined, fault, fault, fault, fault]);
});

test("signatureFault: the algorithm must match the key and be secure", () => {
  const ecKey = read(p256.publicKey);
  const fault = (algorithm: SignatureAlgorithm | undefined, key: PublicKey | undefined) =>
    signatureFault({ algorithm, signed: bytesOf(3), signature: bytesOf(96) }, key, verifySignature);
  expect([
    fault(undefined, ecKey),
    fault({ key: "RSA", hash: "MD5" }, read(rsa.publicKey)),
    fault({ key: "RSA", hash: "SHA-256" }, ecKey),
    fault({ key: "ECDSA", hash: "SHA-256" }, read(ed25519.publicKey)),
    fault({ key: "ECDSA", hash: "SHA-256" }, undefined),
    fault({ key: "RSA", hash: "SHA-256" }, read(smallRsa.publicKey)),
  ]).toEqual([
    "x509: cannot verify signature: algorithm unimplemented",
    "x509: cannot verify signature: insecure algorithm MD5-RSA",
    "x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey",
    "x509: signature algorithm specifies an ECDSA public key, but have public key of type ed25519.PublicKey",
    "x509: cannot verify signature: algorithm unimplemented",
    "crypto/rsa: 768-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)",
  ]);
});

test("parsePublicKey: malformed keys are rejected with Go's errors", () => {
  const none = new Uint8Array();
  const nothing = Uint8Array.of(5, 0);
  const p256Oid = Uint8Array.from(Buffer.from("06082a8648ce3d030107", "hex"));
  const fault = (oid: string, parameters: Uint8Array, bits: Uint8Array) => {
    try {
      return parsePublicKey({ oid, parameters, bits });
    } catch (error) {
      return (error as Error).message;
    }
  };
  const rsaOid = "1.2.840.113549.1.1.1";
  const ecOid = "1.2.840.10045.2.1";
  expect([
    fault("1.2.3", none, none),
    fault(rsaOid, none, none),
    fault(rsaOid, nothing, none),
    fault(rsaOid, nothing, Uint8Array.of(0x30, 0)),
    fault(rsaOid, nothing, Uint8Array.of(0x30, 3, 2, 1, 1)),
    fault(rsaOid, nothing, Uint8Array.of(0x30, 6, 2, 1, 0xff, 2, 1, 1)),
    fault(ecOid, none, none),
    fault(ecOid, Uint8Array.of(6, 1, 42), none),
    fault(ecOid, p256Oid, bytesOf(65)),
    fault("1.3.101.112", nothing, bytesOf(32)),
    fault("1.3.101.112", none, bytesOf(31)),
  ]).toEqual([
    undefined,
    "x509: RSA key missing NULL parameters",
    "x509: invalid RSA public key",
    "x509: invalid RSA modulus",
    "x509: invalid RSA public exponent",
    "x509: RSA modulus is not a positive number",
    "x509: invalid ECDSA parameters",
    "x509: unsupported elliptic curve",
    "x509: failed to unmarshal elliptic curve point",
    "x509: Ed25519 key encoded with illegal parameters",
    "x509: wrong Ed25519 public key size",
  ]);
});
