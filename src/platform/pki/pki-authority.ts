import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { writePrivateFile } from "../files.ts";
import {
  loadCertificate,
  loadKey,
  makeKey,
  PkiError,
  type StoredCertificate,
  type StoredKey,
} from "./pki-files.ts";
import { isDue, lifetime } from "./pki-lifetime.ts";
import { encodeName, issueCertificate } from "./x509.ts";
import { certificateParts, type Subject } from "./x509-parts.ts";

/** A certificate authority that can sign. */
export interface Authority {
  readonly cert: StoredCertificate;
  readonly key: StoredKey;
}

/** Loads the certificate authority of a directory, or creates it. */
export async function ensureAuthority(dir: string, now: Date): Promise<Authority> {
  const certPath = join(dir, "ca.crt");
  const keyPath = join(dir, "ca.key");
  const remedy = `restore it from a backup, or remove ${dir} to start with new certificates`;
  const [cert, oldKey] = await Promise.all([
    loadCertificate(certPath, remedy),
    loadKey(keyPath, remedy),
  ]);
  if (cert !== undefined && oldKey === undefined) {
    throw new PkiError(keyPath, "is missing", { remedy });
  }
  const key = oldKey ?? (await makeKey(keyPath));
  if (cert !== undefined) {
    const problem = authorityProblem(cert.certificate, key.key, now);
    if (problem !== undefined) throw new PkiError(certPath, problem, { remedy });
    if (!(isOwn(cert.certificate) && isDue(cert.certificate, now))) return { cert, key };
  }
  // Renew it with the same name and key, so that certificates it has signed stay valid.
  const pem = issueAuthority(key.key, now);
  await writePrivateFile(certPath, pem);
  return { cert: { pem, certificate: new X509Certificate(pem) }, key };
}

const authoritySubject: Subject = { commonName: "wherry-ca", organizations: [] };
const authorityDays = 3650;

function issueAuthority(key: KeyObject, now: Date): string {
  return issueCertificate({
    subject: authoritySubject,
    issuer: { name: encodeName(authoritySubject), key },
    publicKey: createPublicKey(key),
    ...lifetime(now, authorityDays),
    isCa: true,
    keyUsage: ["digitalSignature", "keyEncipherment", "keyCertSign"],
  });
}

function authorityProblem(
  certificate: X509Certificate,
  key: KeyObject,
  now: Date,
): string | undefined {
  if (!certificate.checkPrivateKey(key)) return "does not belong to ca.key";
  if (!certificate.ca) return "is not allowed to sign certificates";
  const expired = Date.parse(certificate.validTo) <= now.getTime();
  if (expired && !isOwn(certificate)) return `expired on ${certificate.validTo}`;
  return undefined;
}

/** Only authorities created here are renewed here; the owner of any other renews it. */
function isOwn(certificate: X509Certificate): boolean {
  const { subjectName } = certificateParts(certificate.raw);
  return certificate.checkIssued(certificate) && encodeName(authoritySubject).equals(subjectName);
}
