import type { Log } from "../../base/log.ts";
import type { Hash } from "../documents/served-discovery.ts";
import type { User } from "../request/identity.ts";
import type { Authentication } from "./authenticate.ts";
import { bootstrapUser } from "./bootstrap-tokens.ts";
import type { FrontProxies } from "./front-proxy.ts";
import { legacyTokens } from "./legacy-tokens.ts";
import { serviceAccountTokens, type TokenIssuer } from "./service-account-tokens.ts";
import { anyOf, forServer } from "./token-authenticator.ts";
import type { TokenSources } from "./token-sources.ts";

export interface AuthenticationOptions {
  /** Issues and verifies the tokens of service accounts. */
  readonly tokenIssuer: TokenIssuer;
  /** Users by their static tokens. */
  readonly staticTokens?: ReadonlyMap<string, User>;
  /** Whether bootstrap tokens, held by secrets in kube-system, are accepted; false if not given. */
  readonly bootstrapTokens?: boolean;
  /** The front proxies that may name the user of a request; none may if not given. */
  readonly frontProxies?: FrontProxies;
  /** Whether requests without credentials are anonymous rather than rejected; true if not given. */
  readonly anonymousAuth?: boolean;
  readonly sha256: Hash;
  readonly log: Log;
}

/** The authentication of a server; token authenticators are tried in this order. */
export function serverAuthentication(
  options: AuthenticationOptions,
  sources: TokenSources,
): Authentication {
  const { tokenIssuer, staticTokens, bootstrapTokens = false, sha256, log } = options;
  const { audiences } = tokenIssuer;
  const joining = forServer(audiences, (token) => bootstrapUser(sources, token));
  return {
    tokens: anyOf([
      ...(staticTokens ? [forServer(audiences, (token) => staticTokens.get(token))] : []),
      legacyTokens(sources, tokenIssuer, sha256),
      serviceAccountTokens(sources, tokenIssuer, sha256),
      ...(bootstrapTokens ? [joining] : []),
    ]),
    audiences,
    anonymous: options.anonymousAuth ?? true,
    frontProxies: options.frontProxies,
    onRefused: (error) => log.warn("request was not authenticated", { error }),
  };
}
