import { generateKeyPairSync } from "node:crypto";
import { encodeName, issueCertificate } from "./pki/x509.ts";

/** A self-signed certificate for 127.0.0.1 and localhost. */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { commonName: "test", organizations: [] };
  const cert = issueCertificate({
    subject,
    publicKey,
    issuer: { name: encodeName(subject), key: privateKey },
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    isCa: true,
    keyUsage: ["digitalSignature", "keyCertSign"],
    extKeyUsage: ["serverAuth"],
    dnsNames: ["localhost"],
    ips: ["127.0.0.1"],
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
