import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { ensurePrivateDir, writePrivateFile } from "../files.ts";
import {
  type Authority,
  clusterAuthority,
  ensureAuthority,
  frontProxyAuthority,
  kubeletAuthority,
} from "./pki-authority.ts";
import { loadCertificate, loadKey, makeKey, PkiError } from "./pki-files.ts";
import { day, dueAt, isDue, lifetime } from "./pki-lifetime.ts";
import { ensureTokenKeys, type TokenKeyFiles } from "./token-key-files.ts";
import {
  type CertificateRequest,
  encodeName,
  issueCertificate,
  issuerFrom,
  subjectAltNameOid,
  subjectAltNames,
} from "./x509.ts";
import { ipBytes } from "./x509-ip.ts";
import { certificateParts, type Subject } from "./x509-parts.ts";

/** A certificate and its private key, both as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * The key material of a cluster. While an authority is rotated, its text has two certificates that are trusted: the
 * first is that of its key, which signs.
 */
export interface Pki {
  readonly ca: KeyPair;
  /** Signs the serving certificates of kubelets. */
  readonly kubeletCa: KeyPair;
  readonly apiserver: KeyPair;
  readonly admin: KeyPair;
  /** The API server's own, as a client of kubelets. */
  readonly kubeletClient: KeyPair;
  /** Signs the certificates of front proxies. */
  readonly frontProxyCa: KeyPair;
  /** The API server's own, as a front proxy of other API servers. */
  readonly frontProxyClient: KeyPair;
  readonly serviceAccount: TokenKeyFiles;
}

export interface PkiOptions {
  /** Names of the API server, beside those that every cluster has and the host's own. */
  readonly names?: readonly string[];
  /** Addresses of the API server; unspecified ones (0.0.0.0, ::) are left out. */
  readonly ips?: readonly string[];
  readonly now: Date;
  /** How long new certificates are valid; a year if not given. */
  readonly lifetimeMs?: number | undefined;
}

/**
 * Loads a cluster's key material; creates what is missing, and reissues certificates that expire soon or
 * have other names.
 */
export async function ensurePki(dir: string, options: PkiOptions): Promise<Pki> {
  await ensurePrivateDir(dir);
  const [authority, ofKubelets, ofProxies, serviceAccount] = await Promise.all([
    ensureAuthority(dir, clusterAuthority, options.now),
    ensureAuthority(dir, kubeletAuthority, options.now),
    ensureAuthority(dir, frontProxyAuthority, options.now),
    ensureTokenKeys(dir),
  ]);
  const leaf = (name: string, profile: LeafProfile, signer = authority): Promise<KeyPair> =>
    ensureLeaf(join(dir, name), profile, {
      authority: signer,
      now: options.now,
      lifetimeMs: options.lifetimeMs,
    });
  const [apiserver, admin, kubeletClient, frontProxyClient] = await Promise.all([
    leaf("apiserver", {
      subject: { commonName: "kube-apiserver", organizations: [] },
      extKeyUsage: ["serverAuth"],
      dnsNames: [...new Set([...clusterNames, hostname(), ...(options.names ?? [])])],
      ips: servingAddresses(options.ips ?? []),
    }),
    leaf("admin", {
      subject: { commonName: "admin", organizations: ["system:masters"] },
      extKeyUsage: ["clientAuth"],
      dnsNames: [],
      ips: [],
    }),
    leaf("apiserver-kubelet-client", {
      subject: { commonName: "kube-apiserver-kubelet-client", organizations: ["system:masters"] },
      extKeyUsage: ["clientAuth"],
      dnsNames: [],
      ips: [],
    }),
    leaf(
      "front-proxy-client",
      {
        subject: { commonName: frontProxyName, organizations: [] },
        extKeyUsage: ["clientAuth"],
        dnsNames: [],
        ips: [],
      },
      ofProxies,
    ),
  ]);
  return {
    ca: pairOf(authority),
    kubeletCa: pairOf(ofKubelets),
    apiserver,
    admin,
    kubeletClient,
    frontProxyCa: pairOf(ofProxies),
    frontProxyClient,
    serviceAccount,
  };
}

/** When the first of the certificates of a cluster is to be renewed, in milliseconds since the epoch. */
export const pkiDueAt = (pki: Pki): number =>
  Math.min(
    ...[pki.ca, pki.kubeletCa, pki.frontProxyCa, pki.apiserver, pki.admin]
      .concat(pki.kubeletClient, pki.frontProxyClient)
      .map(({ cert }) => dueAt(new X509Certificate(cert))),
  );

/** The common name of the API server as a front proxy. */
export const frontProxyName = "front-proxy-client";

const pairOf = ({ cert, key }: Authority): KeyPair => ({ cert: cert.pem, key: key.pem });

/** When the first of the certificates of a node is to be renewed, in milliseconds since the epoch. */
export const nodePkiDueAt = ({ client, serving }: NodePki): number =>
  Math.min(...[client, serving].map(({ cert }) => dueAt(new X509Certificate(cert))));

export interface NodePkiOptions extends Pick<PkiOptions, "now" | "lifetimeMs"> {
  readonly nodeName: string;
  /** The addresses of its kubelet. */
  readonly ips: readonly string[];
}

/** The key material of a node: as a client of the API server, and as the server of its kubelet's API. */
export interface NodePki {
  readonly client: KeyPair;
  readonly serving: KeyPair;
}

/**
 * Loads the key material of a node from a directory, or creates it with the authorities of a cluster.
 */
export async function ensureNodePki(
  dir: string,
  clusterDir: string,
  { nodeName, ips, now, lifetimeMs }: NodePkiOptions,
): Promise<NodePki> {
  await ensurePrivateDir(dir);
  const [ofCluster, ofKubelets] = await Promise.all([
    ensureAuthority(clusterDir, clusterAuthority, now),
    ensureAuthority(clusterDir, kubeletAuthority, now),
  ]);
  const subject = { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] };
  const [client, serving] = await Promise.all([
    ensureLeaf(
      join(dir, "kubelet-client"),
      { subject, extKeyUsage: ["clientAuth"], dnsNames: [], ips: [] },
      { authority: ofCluster, now, lifetimeMs },
    ),
    ensureLeaf(
      join(dir, "kubelet"),
      { subject, extKeyUsage: ["serverAuth"], dnsNames: [nodeName], ips: [...ips] },
      { authority: ofKubelets, now, lifetimeMs },
    ),
  ]);
  return { client, serving };
}

const clusterNames = [
  "localhost",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** The last is the address of the service `kubernetes` in the default service range. */
const clusterAddresses = ["127.0.0.1", "::1", "10.0.0.1"];

const leafLife = 365 * day;

/** What a certificate that is issued here says of its holder. */
export interface LeafProfile
  extends Required<Pick<CertificateRequest, "extKeyUsage" | "dnsNames" | "ips">> {
  readonly subject: Subject;
}

async function ensureLeaf(
  path: string,
  profile: LeafProfile,
  {
    authority,
    now,
    lifetimeMs,
  }: { authority: Authority; now: Date; lifetimeMs?: number | undefined },
): Promise<KeyPair> {
  const certPath = `${path}.crt`;
  const keyPath = `${path}.key`;
  const remedy = `remove ${certPath} and ${keyPath} to have new ones made`;
  const [oldCert, oldKey] = await Promise.all([
    loadCertificate(certPath, remedy),
    loadKey(keyPath, remedy),
  ]);
  const key = oldKey ?? (await makeKey(keyPath));
  if (oldCert !== undefined && oldKey !== undefined) {
    const { certificate, pem } = oldCert;
    if (!certificate.checkPrivateKey(key.key)) {
      throw new PkiError(certPath, `does not belong to ${keyPath}`, { remedy });
    }
    const fits =
      isSignedBy(certificate, authority.cert.certificate) && hasProfile(certificate, profile);
    if (fits && !isDue(certificate, now)) return { cert: pem, key: key.pem };
  }
  const signer = { certificate: authority.cert.certificate, key: authority.key.key };
  const cert = issueLeaf(key.key, profile, { signer, now, lifetimeMs });
  await writePrivateFile(certPath, cert);
  return { cert, key: key.pem };
}

/** An authority, as certificates are issued by it. */
export interface Signer {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Issues a certificate of an authority, which does not outlive it. */
export function issueLeaf(
  key: KeyObject,
  profile: LeafProfile,
  {
    signer,
    now,
    lifetimeMs = leafLife,
  }: { readonly signer: Signer; readonly now: Date; readonly lifetimeMs?: number | undefined },
): string {
  return issueCertificate({
    ...profile,
    issuer: issuerFrom(signer.certificate, signer.key),
    publicKey: createPublicKey(key),
    ...lifetime(now, lifetimeMs, new Date(signer.certificate.validTo)),
    keyUsage: ["digitalSignature", "keyEncipherment"],
  });
}

/** Whether an authority has signed a certificate. */
export const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

/** Whether a certificate is for the subject and the names of a profile. */
export function hasProfile(
  certificate: X509Certificate,
  { subject, dnsNames, ips }: LeafProfile,
): boolean {
  const { subjectName, extensions } = certificateParts(certificate.raw);
  const names = extensions.get(subjectAltNameOid);
  const hasNames = sameBytes(names, subjectAltNames({ dnsNames, ips }));
  return encodeName(subject).equals(subjectName) && hasNames;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}

/** Each address in canonical form, without unspecified ones. */
function servingAddresses(extra: readonly string[]): string[] {
  const byBytes = new Map<string, string>();
  for (const ip of [...clusterAddresses, ...extra]) {
    const bytes = ipBytes(ip);
    const key = bytes.join(".");
    if (bytes.some((byte) => byte !== 0) && !byBytes.has(key)) byBytes.set(key, ip);
  }
  return [...byBytes.values()];
}
