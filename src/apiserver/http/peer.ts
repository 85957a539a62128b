import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { certificateParts } from "../../platform/pki/x509-parts.ts";
import type { Peer } from "../request/request.ts";

/** The identity in a connection's client certificate, if it has one. */
export interface PeerIdentity {
  readonly peer: VerifiedPeer | undefined;
  /** Why the client's certificate is invalid. */
  readonly error: string | undefined;
  /** Milliseconds since the epoch at which the certificate expires. */
  readonly validUntil: number;
}

/** The holder of a verified client certificate. */
export interface VerifiedPeer extends Peer {
  readonly uid?: string;
  /** SHA-256 of the certificate in lower-case hex, for the credential id. */
  readonly fingerprint: string;
}

/** The authorities of front proxies, and those of clients, where the two differ; PEM. */
export interface ProxyAuthorities {
  readonly proxies: string;
  readonly clients: string;
}

/** Reads the identity from a connection whose handshake is done: once, since it cannot change. */
export function readPeer(socket: TLSSocket, authorities?: ProxyAuthorities): PeerIdentity {
  const certificate = socket.getPeerX509Certificate();
  // Node reports a resumed session without a certificate as authorized, so look at the certificate first.
  if (certificate === undefined) return unknownPeer;
  if (!socket.authorized) return refused(String(socket.authorizationError));
  try {
    const { subject } = certificateParts(certificate.raw);
    const validUntil = Date.parse(certificate.validTo);
    if (subject.commonName === "") return unknownPeer;
    const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
    const proxy = authorities && proxyRole(certificate, authorities);
    const peer = { ...subject, fingerprint, validUntil, ...(proxy && { proxy }) };
    return { peer, error: undefined, validUntil };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** The identity of a connection without a certificate. */
export const unknownPeer: PeerIdentity = {
  peer: undefined,
  error: undefined,
  validUntil: Infinity,
};

function refused(error: string): PeerIdentity {
  return { peer: undefined, error, validUntil: Infinity };
}

/** The part of a certificate's holder as a front proxy; undefined if it is none. */
function proxyRole(
  certificate: X509Certificate,
  { proxies, clients }: ProxyAuthorities,
): "alone" | "client" | undefined {
  if (!isSignedBy(certificate, proxies)) return undefined;
  return isSignedBy(certificate, clients) ? "client" : "alone";
}

/** Whether one of the authorities has signed a certificate, or an authority that one of them has signed. */
function isSignedBy(certificate: X509Certificate, authorities: string): boolean {
  const known = certificatesIn(authorities);
  for (let one: X509Certificate | undefined = certificate; one; one = issuerOf(one)) {
    const signed = one;
    if (known.some((ca) => signed.checkIssued(ca) && signed.verify(ca.publicKey))) return true;
  }
  return false;
}

/** The issuer that the client has sent; that of an authority is itself. */
function issuerOf({ issuerCertificate, fingerprint256 }: X509Certificate) {
  return issuerCertificate?.fingerprint256 === fingerprint256 ? undefined : issuerCertificate;
}

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  );
