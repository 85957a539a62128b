import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import type { SignatureKey, SignedMessage } from "../../base/cryptography/verify-signature.ts";
import { verifySignature } from "./verify-with-node.ts";

const message = Buffer.from("message");
const number = (text = "") => BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`);
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { n, e } = rsa.publicKey.export({ format: "jwk" });
const rsaKey: SignatureKey = { algorithm: "RSA", modulus: number(n), exponent: number(e) };

const lastBytes = (key: KeyObject, count: number) =>
  key.export({ type: "spki", format: "der" }).subarray(-count);
const curves = [
  ["P-224", 57],
  ["P-256", 65],
  ["P-384", 97],
  ["P-521", 133],
] as const;
test.each(curves)("verifySignature: a key on %s signs one message only", (curve, size) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  const key: SignatureKey = { algorithm: "ECDSA", curve, point: lastBytes(publicKey, size) };
  const signed = { message, signature: sign("SHA256", message, privateKey), hash: "SHA-256" };
  const check = (more: Partial<SignedMessage>) =>
    verifySignature(key, { ...(signed as SignedMessage), ...more });
  expect([
    check({}),
    check({ message: Buffer.from("other") }),
    check({ hash: "SHA-512" }),
    check({ signature: signed.signature.subarray(1) }),
  ]).toEqual([true, false, false, false]);
});

test("verifySignature: an Ed25519 key signs one message only", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const key: SignatureKey = { algorithm: "Ed25519", bytes: lastBytes(publicKey, 32) };
  const signature = sign(null, message, privateKey);
  expect([
    verifySignature(key, { message, signature }),
    verifySignature(key, { message: Buffer.from("other"), signature }),
  ]).toEqual([true, false]);
});

test("verifySignature: each RSA padding needs its own scheme, and the salt length can be fixed", () => {
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const signatures = [
    sign("SHA256", message, rsa.privateKey),
    ...[0, 10, 32].map((saltLength) =>
      sign("SHA256", message, { key: rsa.privateKey, padding, saltLength }),
    ),
  ];
  const verify = (signature: Uint8Array, pssSalt?: SignedMessage["pssSalt"]) =>
    verifySignature(rsaKey, { message, signature, hash: "SHA-256", ...(pssSalt && { pssSalt }) });
  expect(
    signatures.map((signature) => [
      verify(signature),
      verify(signature, "any-length"),
      verify(signature, "hash-length"),
    ]),
  ).toEqual([
    [true, false, false],
    [false, true, false],
    [false, true, false],
    [false, true, true],
  ]);
});

const broken: readonly [what: string, key: SignatureKey][] = [
  [
    "a point that is not on its curve",
    { algorithm: "ECDSA", curve: "P-256", point: Buffer.alloc(65, 4) },
  ],
  ["a key of the wrong size", { algorithm: "Ed25519", bytes: new Uint8Array(31) }],
  ["a modulus that is too small for the hash", { algorithm: "RSA", modulus: 15n, exponent: 3n }],
];
test.each(broken)("verifySignature: %s verifies nothing", (_, key) => {
  const hash = key.algorithm === "Ed25519" ? undefined : "SHA-256";
  const signed = { message, signature: new Uint8Array(64), ...(hash && ({ hash } as const)) };
  expect(verifySignature(key, signed)).toBe(false);
});
