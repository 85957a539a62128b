import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { basename, join } from "node:path";
import { writePrivateFile } from "../files.ts";
import { pemOf } from "./pem-certificates.ts";
import {
  loadCertificates,
  loadKey,
  makeKey,
  PkiError,
  type StoredCertificate,
  type StoredCertificates,
  type StoredKey,
} from "./pki-files.ts";
import { day, isDue, lifetime } from "./pki-lifetime.ts";
import { encodeName, issueCertificate } from "./x509.ts";
import { certificateParts, type Subject } from "./x509-parts.ts";

/** A certificate authority that can sign. */
export interface Authority {
  /** Its certificate; the text also has those that are trusted beside it, which come after it. */
  readonly cert: StoredCertificate;
  readonly key: StoredKey;
}

/** The file name of an authority without its extension, and its common name if it is created here. */
export interface AuthorityName {
  readonly file: string;
  readonly commonName: string;
}

/** The authority of the cluster: clients verify the API server by it, and the API server its clients. */
export const clusterAuthority: AuthorityName = { file: "ca", commonName: "wherry-ca" };

/**
 * The authority of kubelets' serving certificates. Only the API server trusts it: a node chooses its own
 * addresses, and must not be able to get a certificate with which it could pass for the API server.
 */
export const kubeletAuthority: AuthorityName = {
  file: "kubelet-ca",
  commonName: "wherry-kubelet-ca",
};

/**
 * The authority of the front proxies that other API servers trust: whoever has a certificate of it can name any
 * user, so that it signs nothing else.
 */
export const frontProxyAuthority: AuthorityName = {
  file: "front-proxy-ca",
  commonName: "wherry-front-proxy-ca",
};

/** The authorities that a cluster makes for itself. */
export const ownAuthorities: readonly AuthorityName[] = [
  clusterAuthority,
  kubeletAuthority,
  frontProxyAuthority,
];

/**
 * Loads a certificate authority of a directory, or creates it. Its file may have several certificates, all of which
 * are trusted: the one of its key signs. The key alone is replaced to change from one to the other.
 */
export async function ensureAuthority(
  dir: string,
  { file, commonName }: AuthorityName,
  now: Date,
): Promise<Authority> {
  const certPath = join(dir, `${file}.crt`);
  const keyPath = join(dir, `${file}.key`);
  const subject: Subject = { commonName, organizations: [] };
  const remedy = `restore it from a backup, or remove ${dir} to start with new certificates`;
  const [trusted, oldKey] = await Promise.all([
    loadCertificates(certPath, remedy),
    loadKey(keyPath, remedy),
  ]);
  if (trusted !== undefined && oldKey === undefined) {
    throw new PkiError(keyPath, "is missing", { remedy });
  }
  const key = oldKey ?? (await makeKey(keyPath));
  const cert = trusted && signerFirst(trusted, key.key);
  if (cert !== undefined) {
    const problem = authorityProblem(cert.certificate, key.key, { subject, keyPath, now });
    if (problem !== undefined) throw new PkiError(certPath, problem, { remedy });
    const isOwnAndDue = isOwn(cert.certificate, subject) && isDue(cert.certificate, now);
    if (!isOwnAndDue) return { cert, key };
  }
  // Renew it with the same name and key, so that certificates it has signed stay valid.
  const renewed = new X509Certificate(issueAuthority(key.key, subject, now));
  const others = trusted?.certificates.filter((one) => one !== cert?.certificate) ?? [];
  const pem = pemOf([renewed, ...others]);
  await writePrivateFile(certPath, pem);
  return { cert: { pem, certificate: renewed }, key };
}

/** The certificate of a key, and the text in which it comes first; the first certificate if none is of the key. */
function signerFirst({ pem, certificates }: StoredCertificates, key: KeyObject): StoredCertificate {
  const [first] = certificates;
  const signer = certificates.find((one) => one.checkPrivateKey(key)) ?? first;
  if (signer === first) return { pem, certificate: first };
  return {
    pem: pemOf([signer, ...certificates.filter((one) => one !== signer)]),
    certificate: signer,
  };
}

const authorityLife = 3650 * day;

/** Issues a certificate with which a key signs others. */
export function issueAuthority(key: KeyObject, subject: Subject, now: Date): string {
  return issueCertificate({
    subject,
    issuer: { name: encodeName(subject), key },
    publicKey: createPublicKey(key),
    ...lifetime(now, authorityLife),
    isCa: true,
    keyUsage: ["digitalSignature", "keyEncipherment", "keyCertSign"],
  });
}

function authorityProblem(
  certificate: X509Certificate,
  key: KeyObject,
  {
    subject,
    keyPath,
    now,
  }: { readonly subject: Subject; readonly keyPath: string; readonly now: Date },
): string | undefined {
  if (!certificate.checkPrivateKey(key)) return `does not belong to ${basename(keyPath)}`;
  if (!certificate.ca) return "is not allowed to sign certificates";
  const expired = Date.parse(certificate.validTo) <= now.getTime();
  if (expired && !isOwn(certificate, subject)) return `expired on ${certificate.validTo}`;
  return undefined;
}

/** Only authorities created here are renewed here; the owner of any other renews it. */
export function isOwn(certificate: X509Certificate, subject: Subject): boolean {
  const { subjectName } = certificateParts(certificate.raw);
  return certificate.checkIssued(certificate) && encodeName(subject).equals(subjectName);
}
