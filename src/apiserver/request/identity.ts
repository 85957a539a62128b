import type { Peer } from "./request.ts";

/** Who makes a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else is known of them, such as the credential they showed. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who shows nothing. */
export const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user that a client certificate names. */
export const certificateUser = ({ commonName, organizations, fingerprint }: Peer): User => ({
  name: commonName,
  groups: organizations,
  ...(fingerprint !== undefined && {
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  }),
});
