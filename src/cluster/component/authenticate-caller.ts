import { authenticate, type Credentials } from "../../apiserver/authentication/authenticate.ts";
import type { TokenAuthenticator } from "../../apiserver/authentication/token-authenticator.ts";
import type { User } from "../../apiserver/request/identity.ts";
import type { Log } from "../../base/log.ts";

/** How the callers of a component are authenticated. */
export interface CallerAuthentication {
  /** Authenticates tokens; without it they are ignored. */
  readonly tokens?: TokenAuthenticator | undefined;
  /** Whether CA certificates for clients are known; if not, client certificates are ignored. */
  readonly knowsAuthorities: () => boolean;
  /** Whether requests without credentials are anonymous rather than rejected. */
  readonly anonymous: boolean;
  readonly log: Log;
}

/** The caller of a request to a component; rejects with a StatusError if there is none. */
export function authenticateCaller(
  { path, headers, peer, peerError }: Credentials,
  { tokens, knowsAuthorities, anonymous, log }: CallerAuthentication,
): Promise<User> {
  const shown: Credentials = {
    path,
    headers: tokens ? headers : {},
    peer,
    ...(peerError !== undefined && knowsAuthorities() && { peerError }),
  };
  const authentication = {
    tokens: tokens ?? nobody,
    audiences: [],
    anonymous,
    onRefused: (error: string) => log.warn("credential rejected", { error }),
  };
  return authenticate(shown, authentication, { warnings: [], annotate: () => {} });
}

const nobody: TokenAuthenticator = { authenticate: () => ({ errors: [] }) };
