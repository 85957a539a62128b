import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyPair } from "./pki.ts";
import { encodeName, issueCertificate } from "./x509.ts";

/** A self-signed certificate and its key, for a server whose clients do not verify it. */
export function selfSigned({
  name,
  ips,
  now,
}: {
  readonly name: string;
  readonly ips: readonly string[];
  readonly now: Date;
}): KeyPair {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const seconds = Math.floor(now.getTime() / 1000);
  const subject = { commonName: `${name}@${seconds}`, organizations: [] };
  const cert = issueCertificate({
    subject,
    issuer: { name: encodeName(subject), key },
    publicKey: createPublicKey(key),
    notBefore: new Date(now.getTime() - hour),
    notAfter: new Date(now.getTime() + 365 * 24 * hour),
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extKeyUsage: ["serverAuth"],
    dnsNames: [name],
    ips,
  });
  return { cert, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

const hour = 3_600_000;
