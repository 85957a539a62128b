import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { hasProfile, isSignedBy, issueLeaf, type KeyPair, type LeafProfile } from "./pki.ts";
import { issueAuthority } from "./pki-authority.ts";
import { isDue } from "./pki-lifetime.ts";

/** The certificate of a server, and the authority that was made for it alone. */
export interface ServerCertificates {
  readonly ca: KeyPair;
  readonly server: KeyPair;
}

/** The names and addresses by which clients call a server; the first name is its subject. */
export interface ServerNames {
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
}

/**
 * Returns certificates that are valid for a while: the old ones where they are, and new ones for those that expire
 * soon, have other names or cannot be read. The authority keeps its key, so that clients go on to trust the server
 * until they know its new certificate.
 */
export function renewedServerCertificates(
  old: ServerCertificates | undefined,
  names: ServerNames,
  now: Date,
): ServerCertificates {
  const authority = usable(old?.ca);
  const ca =
    authority?.certificate.ca && !isDue(authority.certificate, now) && old
      ? old.ca
      : newAuthority(authority?.key ?? newKey(), names, now);
  const signer = { certificate: new X509Certificate(ca.cert), key: createPrivateKey(ca.key) };
  const profile = profileOf(names);
  const server = usable(old?.server);
  if (
    old &&
    server &&
    isSignedBy(server.certificate, signer.certificate) &&
    hasProfile(server.certificate, profile) &&
    !isDue(server.certificate, now)
  )
    return ca === old.ca ? old : { ca, server: old.server };
  const key = server?.key ?? newKey();
  return { ca, server: { cert: issueLeaf(key, profile, { signer, now }), key: pemOf(key) } };
}

const profileOf = ({ dnsNames, ips }: ServerNames): LeafProfile => ({
  subject: { commonName: dnsNames[0] ?? ips[0] ?? "server", organizations: [] },
  extKeyUsage: ["serverAuth"],
  dnsNames: [...dnsNames],
  ips: [...ips],
});

function newAuthority(key: KeyObject, { dnsNames, ips }: ServerNames, now: Date): KeyPair {
  const commonName = `${dnsNames[0] ?? ips[0] ?? "server"}-ca`;
  return { cert: issueAuthority(key, { commonName, organizations: [] }, now), key: pemOf(key) };
}

/** A pair that can be read, and whose parts belong together. */
function usable(pair: KeyPair | undefined) {
  if (!pair) return undefined;
  try {
    const certificate = new X509Certificate(pair.cert);
    const key = createPrivateKey(pair.key);
    return certificate.checkPrivateKey(key) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
