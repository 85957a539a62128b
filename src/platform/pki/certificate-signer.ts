import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import type {
  CertificateContent,
  CertificateSigner,
} from "../../base/cryptography/certificate-signer.ts";
import { oid, sequence, set, utf8String } from "./der.ts";
import type { KeyPair } from "./pki.ts";
import { issueCertificate, issuerFrom } from "./x509.ts";

/** Signs certificates with the key of a certificate authority; throws if the two do not match. */
export function certificateSigner({ cert, key }: KeyPair): CertificateSigner {
  const certificate = new X509Certificate(cert);
  const privateKey = createPrivateKey(key);
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error("the private key does not belong to the certificate of the authority");
  const issuer = issuerFrom(certificate, privateKey);
  return {
    notAfter: Date.parse(certificate.validTo),
    sign({ subject, publicKey, names, keyUsage, extKeyUsage, notBefore, notAfter }) {
      const { ipAddresses: ips, ...otherNames } = names;
      return issueCertificate({
        ...otherNames,
        ips,
        subject: encodeSubject(subject),
        publicKey: createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" }),
        issuer,
        notBefore: new Date(notBefore),
        notAfter: new Date(notAfter),
        keyUsage,
        extKeyUsage,
      });
    },
  };
}

const encodeSubject = (attributes: CertificateContent["subject"]): Uint8Array =>
  sequence(
    ...attributes.map(({ oid: type, value }) => set(sequence(oid(type), utf8String(value)))),
  );
