import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { encodeName, issueCertificate } from "./pki/x509.ts";

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for 127.0.0.1 and localhost. */
export function selfSigned(): Pair {
  const { privateKey, publicKey } = newKey();
  return pair(privateKey, { publicKey, issuer: { name: "test", key: privateKey }, isCa: true });
}

/** A certificate for the same, signed by an authority whose certificate nobody has. */
export function signedByAnother(): Pair {
  const { privateKey, publicKey } = newKey();
  const issuer = { name: "authority", key: newKey().privateKey };
  return pair(privateKey, { publicKey, issuer, isCa: false });
}

const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Issued {
  readonly publicKey: KeyObject;
  readonly issuer: { readonly name: string; readonly key: KeyObject };
  readonly isCa: boolean;
}

function pair(privateKey: KeyObject, { publicKey, issuer, isCa }: Issued): Pair {
  const subject = (commonName: string) => ({ commonName, organizations: [] });
  const cert = issueCertificate({
    subject: subject("test"),
    publicKey,
    issuer: { name: encodeName(subject(issuer.name)), key: issuer.key },
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    isCa,
    keyUsage: isCa ? ["digitalSignature", "keyCertSign"] : ["digitalSignature"],
    extKeyUsage: ["serverAuth"],
    dnsNames: ["localhost"],
    ips: ["127.0.0.1"],
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}
