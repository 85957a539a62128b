import type { TLSSocket } from "node:tls";
import { certificateParts } from "../../platform/pki/x509-parts.ts";
import type { Peer } from "../request/request.ts";

/** What a connection's client certificate says; nothing when it has none. */
export interface PeerIdentity {
  readonly peer: VerifiedPeer | undefined;
  /** Why the certificate counts for nothing, when there is one that does not count. */
  readonly error: string | undefined;
  /** Milliseconds since the epoch at which the certificate ends. */
  readonly validUntil: number;
}

/** The holder of a verified client certificate. */
export interface VerifiedPeer extends Peer {
  readonly uid?: string;
  /** SHA-256 of the certificate in lower-case hex: Kubernetes' credential id is made from it. */
  readonly fingerprint: string;
}

/** Reads the identity from a connection whose handshake is done: once, since it cannot change. */
export function readPeer(socket: TLSSocket): PeerIdentity {
  const certificate = socket.getPeerX509Certificate();
  // A resumed session without certificate counts as authorized for Node: the certificate decides.
  if (certificate === undefined) return nobody;
  if (!socket.authorized) return refused(String(socket.authorizationError));
  try {
    const { subject } = certificateParts(certificate.raw);
    const validUntil = Date.parse(certificate.validTo);
    if (subject.commonName === "") return nobody;
    const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
    return { peer: { ...subject, fingerprint }, error: undefined, validUntil };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

const nobody: PeerIdentity = { peer: undefined, error: undefined, validUntil: Infinity };

function refused(error: string): PeerIdentity {
  return { peer: undefined, error, validUntil: Infinity };
}
