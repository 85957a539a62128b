import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import type { CertificateContent } from "../../base/cryptography/certificate-signer.ts";
import { certificateSigner } from "./certificate-signer.ts";
import { encodeName, issueCertificate } from "./x509.ts";
import { certificateParts } from "./x509-parts.ts";

const notBefore = Date.UTC(2026, 0, 1);
const notAfter = Date.UTC(2027, 0, 1);

function authority() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { commonName: "ca", organizations: [] };
  const cert = issueCertificate({
    subject,
    issuer: { name: encodeName(subject), key: privateKey },
    publicKey: createPublicKey(privateKey),
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    isCa: true,
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

const { publicKey } = generateKeyPairSync("ed25519");
const content: CertificateContent = {
  subject: [
    { oid: "2.5.4.10", value: "system:nodes" },
    { oid: "2.5.4.3", value: "system:node:ä" },
  ],
  publicKey: publicKey.export({ type: "spki", format: "der" }),
  names: {
    dnsNames: ["a.example.com"],
    emailAddresses: ["a@example.com"],
    uris: ["spiffe://a/b"],
    ipAddresses: [Uint8Array.of(10, 0, 0, 1)],
  },
  keyUsage: ["digitalSignature", "decipherOnly"],
  extKeyUsage: ["any", "serverAuth", "netscapeSgc"],
  notBefore,
  notAfter: notBefore + 3_600_000,
};

test("certificateSigner: the certificate has the content, and is signed by the authority", () => {
  const pair = authority();
  const signer = certificateSigner(pair);
  expect(signer.notAfter).toBe(notAfter);
  const certificate = new X509Certificate(signer.sign(content));
  expect(certificate.verify(new X509Certificate(pair.cert).publicKey)).toBe(true);
  expect(certificate.publicKey.equals(publicKey)).toBe(true);
  expect({
    subject: certificateParts(certificate.raw).subject,
    names: certificate.subjectAltName,
    usages: certificate.keyUsage,
    from: Date.parse(certificate.validFrom),
    to: Date.parse(certificate.validTo),
    isCa: certificate.ca,
  }).toEqual({
    subject: { commonName: "system:node:ä", organizations: ["system:nodes"] },
    names: "DNS:a.example.com, email:a@example.com, IP Address:10.0.0.1, URI:spiffe://a/b",
    usages: ["2.5.29.37.0", "1.3.6.1.5.5.7.3.1", "2.16.840.1.113730.4.1"],
    from: content.notBefore,
    to: content.notAfter,
    isCa: false,
  });
  expect(new X509Certificate(signer.sign(content)).serialNumber).not.toBe(certificate.serialNumber);
});

test("certificateSigner: the key must belong to the certificate", () => {
  expect(() => certificateSigner({ cert: authority().cert, key: authority().key })).toThrow(
    "the private key does not belong to the certificate of the authority",
  );
});
