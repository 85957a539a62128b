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

/** Reads the identity from a connection whose handshake is done: once, since it cannot change. */
export function readPeer(socket: TLSSocket): PeerIdentity {
  const certificate = socket.getPeerX509Certificate();
  // Node reports a resumed session without a certificate as authorized, so look at the certificate first.
  if (certificate === undefined) return unknownPeer;
  if (!socket.authorized) return refused(String(socket.authorizationError));
  try {
    const { subject } = certificateParts(certificate.raw);
    const validUntil = Date.parse(certificate.validTo);
    if (subject.commonName === "") return unknownPeer;
    const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
    return { peer: { ...subject, fingerprint }, error: undefined, validUntil };
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
