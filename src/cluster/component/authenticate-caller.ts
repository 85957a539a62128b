import { authenticate, type Credentials } from "../../apiserver/authentication/authenticate.ts";
import type { FrontProxies } from "../../apiserver/authentication/front-proxy.ts";
import type { TokenAuthenticator } from "../../apiserver/authentication/token-authenticator.ts";
import type { User } from "../../apiserver/request/identity.ts";
import type { Log } from "../../base/log.ts";

/** How the callers of a component are authenticated. */
export interface CallerAuthentication {
  /** Authenticates tokens; without it they are ignored. */
  readonly tokens?: TokenAuthenticator | undefined;
  /** Whether CA certificates for clients are known; if not, client certificates are ignored. */
  readonly knowsAuthorities: () => boolean;
  /** The front proxies that may name the caller in headers; none may if not given. */
  readonly frontProxies?: (() => FrontProxies | undefined) | undefined;
  /** Whether requests without credentials are anonymous rather than rejected. */
  readonly anonymous: boolean;
  readonly log: Log;
}

/** The caller of a request to a component; rejects with a StatusError if there is none. */
export function authenticateCaller(
  { path, headers, rawHeaders, peer, peerError }: Credentials,
  { tokens, knowsAuthorities, frontProxies, anonymous, log }: CallerAuthentication,
): Promise<User> {
  const shown: Credentials = {
    path,
    headers: tokens ? headers : withoutTokens(headers),
    rawHeaders,
    peer,
    ...(peerError !== undefined && knowsAuthorities() && { peerError }),
  };
  const authentication = {
    tokens: tokens ?? nobody,
    audiences: [],
    anonymous,
    frontProxies: frontProxies?.(),
    onRefused: (error: string) => log.warn("credential rejected", { error }),
  };
  return authenticate(shown, authentication, { warnings: [], annotate: () => {} });
}

/** Headers without those that hold tokens, which nobody here could authenticate. */
const withoutTokens = ({
  authorization: _,
  "sec-websocket-protocol": __,
  ...others
}: Credentials["headers"]): Credentials["headers"] => others;

const nobody: TokenAuthenticator = { authenticate: () => ({ errors: [] }) };
