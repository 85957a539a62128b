import { StatusError } from "../api/meta/v1/status-error.ts";
import type { ApiRequest } from "./request.ts";

/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else is known of them, such as the credential they showed. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user that a client certificate names; anonymous for who shows nothing at all. */
export function authenticate({ peer, peerError, headers }: ApiRequest): User {
  if (peerError !== undefined) throw new StatusError("Unauthorized", "Unauthorized");
  if (!peer) {
    if (/^bearer +\S/i.test(headers.authorization ?? ""))
      throw new StatusError("Unauthorized", "Unauthorized");
    return anonymous;
  }
  const { commonName, organizations, fingerprint } = peer;
  return {
    name: commonName,
    groups: [...organizations, "system:authenticated"],
    ...(fingerprint !== undefined && {
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
    }),
  };
}
