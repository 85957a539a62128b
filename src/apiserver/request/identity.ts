import type { Peer } from "./request.ts";

/** The caller of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further attributes, such as the id of the credential. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The caller of a request without credentials. */
export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user that a client certificate names: the same for all requests of a connection. */
export function certificateUser(peer: Peer): User {
  let user = certificateUsers.get(peer);
  if (!user) {
    const { commonName, organizations, fingerprint } = peer;
    user = {
      name: commonName,
      groups: organizations,
      ...(fingerprint !== undefined && {
        extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
      }),
    };
    certificateUsers.set(peer, user);
  }
  return user;
}

const certificateUsers = new WeakMap<Peer, User>();
