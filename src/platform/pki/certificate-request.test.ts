import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { expect, test } from "vitest";
import { contentOf, wholeOf } from "../../base/der-reader.ts";
import { certificateRequest } from "./certificate-request.ts";
import { readChildren, readDer } from "./read-der.ts";
import { subjectAltNames } from "./x509.ts";

const subject = { commonName: "system:node:a", organizations: ["system:nodes"] };

/** The parts of a request, taken from its PEM. */
function partsOf(pem: string) {
  const [, base64 = ""] = /-----BEGIN CERTIFICATE REQUEST-----\n([^-]*)-----END/.exec(pem) ?? [];
  const [signed, , signature] = readChildren(readDer(Buffer.from(base64, "base64")));
  if (!signed || !signature) throw new Error("the request is incomplete");
  const attributes = readChildren(signed)[3];
  return {
    signed: wholeOf(signed),
    signature: contentOf(signature).subarray(1),
    attributes: Buffer.from(attributes ? contentOf(attributes) : []),
  };
}

const keys: readonly [string, string | null, () => KeyObject][] = [
  ["P-256", "sha256", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey],
  ["Ed25519", null, () => generateKeyPairSync("ed25519").privateKey],
];

test.each(keys)("certificateRequest: is signed with its own key of %s", (_, hash, makeKey) => {
  const key = makeKey();
  const names = { dnsNames: ["a"], ips: ["10.0.0.1"] };
  const { signed, signature, attributes } = partsOf(certificateRequest({ subject, key, ...names }));
  expect(verify(hash, signed, createPublicKey(key), signature)).toBe(true);
  expect(attributes.includes(Buffer.from(subjectAltNames(names) ?? []))).toBe(true);
});

test("certificateRequest: without names there is no extension", () => {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  expect(partsOf(certificateRequest({ subject, key })).attributes).toHaveLength(0);
});
