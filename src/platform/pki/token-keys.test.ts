import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { signingKey, verifyingKeys } from "./token-keys.ts";

const pem = { type: "pkcs8", format: "pem" } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });
const p256 = curve("P-256");

const keys: [algorithm: string, pair: typeof rsa, signatureBytes: number][] = [
  ["RS256", rsa, 256],
  ["ES256", p256, 64],
  ["ES384", curve("P-384"), 96],
  ["ES512", curve("P-521"), 132],
];
test.each(keys)(
  "a key signs with %s and its public half verifies that",
  (algorithm, pair, size) => {
    const signer = signingKey(pair.privateKey.export(pem).toString());
    const spki = pair.publicKey.export({ type: "spki", format: "pem" }).toString();
    const [key] = verifyingKeys(spki);
    const signature = signer.sign("text");
    expect([signer.algorithm, key?.algorithm, signature.length]).toEqual([
      algorithm,
      algorithm,
      size,
    ]);
    expect(signer.id).toBe(key?.id);
    expect([key?.verify("text", signature), key?.verify("other", signature)]).toEqual([
      true,
      false,
    ]);
    expect(key?.verify("text", new Uint8Array())).toBe(false);
  },
);

test("verifyingKeys: reads all keys of a file, and the public half of private keys", () => {
  const text = [
    rsa.privateKey.export({ type: "pkcs1", format: "pem" }),
    "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n",
    p256.privateKey.export({ type: "sec1", format: "pem" }),
  ].join("");
  const found = verifyingKeys(text);
  expect(found.map(({ parameters }) => Object.keys(parameters))).toEqual([
    ["kty", "n", "e"],
    ["kty", "crv", "x", "y"],
  ]);
  expect(signingKey(text).id).toBe(found[0]?.id);
});

test("token keys: a text without a supported key is rejected", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  for (const text of ["", "nonsense", privateKey.export(pem).toString()]) {
    expect(() => signingKey(text)).toThrow(
      "data does not contain a valid RSA or ECDSA private key",
    );
    expect(() => verifyingKeys(text)).toThrow(
      "data does not contain any valid RSA or ECDSA public keys",
    );
  }
});
