import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  sign as nodeSign,
} from "node:crypto";
import { expect, test } from "vitest";
import { DerReader } from "./der.ts";
import { type PublicKey, parsePublicKey, readPublicKeyInfo } from "./public-key.ts";
import { verifyPss } from "./rsa.ts";
import { digest, type HashName } from "./sha.ts";
import { type SignatureAlgorithm, signatureFault } from "./signature.ts";

const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);

const hashes: readonly HashName[] = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"];
test.each(hashes)("digest: %s is that of OpenSSL, at all lengths around a block", (hash) => {
  const lengths = [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 1000];
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  expect(lengths.map((length) => hex(digest(hash, bytesOf(length))))).toEqual(
    lengths.map((length) =>
      createHash(hash.replace("-", "")).update(bytesOf(length)).digest("hex"),
    ),
  );
});

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
    signatureFault(algorithm, { signed, signature: by }, key);
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

test("signatureFault: algorithm and key must fit, and be safe", () => {
  const made = { signed: bytesOf(3), signature: bytesOf(96) };
  const ecKey = read(p256.publicKey);
  expect([
    signatureFault(undefined, made, ecKey),
    signatureFault({ key: "RSA", hash: "MD5" }, made, read(rsa.publicKey)),
    signatureFault({ key: "RSA", hash: "SHA-256" }, made, ecKey),
    signatureFault({ key: "ECDSA", hash: "SHA-256" }, made, read(ed25519.publicKey)),
    signatureFault({ key: "ECDSA", hash: "SHA-256" }, made, undefined),
    signatureFault({ key: "RSA", hash: "SHA-256" }, made, read(smallRsa.publicKey)),
  ]).toEqual([
    "x509: cannot verify signature: algorithm unimplemented",
    "x509: cannot verify signature: insecure algorithm MD5-RSA",
    "x509: signature algorithm specifies an RSA public key, but have public key of type *ecdsa.PublicKey",
    "x509: signature algorithm specifies an ECDSA public key, but have public key of type ed25519.PublicKey",
    "x509: cannot verify signature: algorithm unimplemented",
    "crypto/rsa: 768-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)",
  ]);
});

test("verifyPss: without a length, a salt of any length is taken", () => {
  const message = bytesOf(20);
  const key = read(rsa.publicKey);
  if (key?.algorithm !== "RSA") throw new Error("no RSA key");
  const lengths = [0, 10, 32].map((saltLength) => {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature = nodeSign("SHA256", message, { key: rsa.privateKey, padding, saltLength });
    const signed = { hash: "SHA-256", hashed: digest("SHA-256", message), signature } as const;
    return [verifyPss(key, signed), verifyPss(key, { ...signed, saltLength: 32 })];
  });
  expect(lengths).toEqual([
    [true, false],
    [true, false],
    [true, true],
  ]);
});

test("parsePublicKey: broken keys are refused in Go's words", () => {
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
