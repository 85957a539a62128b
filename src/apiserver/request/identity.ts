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

/** The user that a client certificate names. */
export const certificateUser = ({ commonName, organizations, fingerprint }: Peer): User => ({
  name: commonName,
  groups: organizations,
  ...(fingerprint !== undefined && {
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  }),
});
