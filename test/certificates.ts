/** Real certificates, for tests in folders that may not import `platform`. */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { CertificateSigner } from "../src/base/cryptography/certificate-signer.ts";
import {
  certificateRequest,
  type RequestedCertificate,
} from "../src/platform/pki/certificate-request.ts";
import { certificateSigner } from "../src/platform/pki/certificate-signer.ts";
import type { KeyPair } from "../src/platform/pki/pki.ts";
import { encodeName, issueCertificate } from "../src/platform/pki/x509.ts";

export { hmacSha256 } from "../src/platform/hmac-sha256.ts";

export interface TestAuthority extends KeyPair {
  readonly signer: CertificateSigner;
}

/** A new certificate authority, which expires at a time in milliseconds since the epoch. */
export function testAuthority(notAfter: number): TestAuthority {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { commonName: "test-ca", organizations: [] };
  const cert = issueCertificate({
    subject,
    issuer: { name: encodeName(subject), key },
    publicKey: createPublicKey(key),
    notBefore: new Date("2020-01-01T00:00:00Z"),
    notAfter: new Date(notAfter),
    isCa: true,
    keyUsage: ["digitalSignature", "keyCertSign"],
  });
  const pair = { cert, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
  return { ...pair, signer: certificateSigner(pair) };
}

/** A certificate request with a new key, in base64 as the API has it. */
export function testRequest(
  requested: Omit<RequestedCertificate, "key" | "subject"> & {
    readonly commonName: string;
    readonly organizations?: readonly string[];
  },
): string {
  const { commonName, organizations = [], ...names } = requested;
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = certificateRequest({ subject: { commonName, organizations }, key, ...names });
  return Buffer.from(pem).toString("base64");
}
