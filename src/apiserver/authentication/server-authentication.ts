import type { VerifySignature } from "../../base/cryptography/verify-signature.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Egress } from "../connect/egress.ts";
import { type ReviewServer, ReviewWebhook } from "../connect/webhooks/review-webhook.ts";
import type { Hash } from "../documents/served-discovery.ts";
import { JwtMetrics } from "../metrics/jwt-metrics.ts";
import { TokenCacheMetrics } from "../metrics/token-cache-metrics.ts";
import type { Environment } from "../objects/environment.ts";
import type { User } from "../request/identity.ts";
import type { AnonymousAccess, Authentication } from "./authenticate.ts";
import { bootstrapUser } from "./bootstrap-tokens.ts";
import { cachedTokens } from "./cached-tokens.ts";
import type { FrontProxies } from "./front-proxy.ts";
import { JwtAuthenticators } from "./jwt/jwt-authenticators.ts";
import type { CheckedJwtAuthenticator } from "./jwt/validate-jwt-authenticator.ts";
import { legacyTokens } from "./legacy-tokens.ts";
import { serviceAccountTokens, type TokenIssuer } from "./service-account-tokens.ts";
import { signedTokens } from "./signed-tokens.ts";
import { anyOf, forServer, type TokenAuthenticator } from "./token-authenticator.ts";
import type { TokenSources } from "./token-sources.ts";
import { type TokenReviewVersion, tokenWebhook } from "./token-webhook.ts";

export interface AuthenticationOptions {
  /** Issues and verifies the tokens of service accounts. */
  readonly tokenIssuer: TokenIssuer;
  /** Users by their static tokens. */
  readonly staticTokens?: ReadonlyMap<string, User>;
  /** Whether bootstrap tokens, held by secrets in kube-system, are accepted; false if not given. */
  readonly bootstrapTokens?: boolean;
  /** The other issuers whose tokens are accepted; none, and none can be added later, if not given. */
  readonly jwt?: JwtOptions;
  /** The server that reviews tokens which nobody else knows. */
  readonly tokenWebhook?: TokenWebhookSettings;
  /** The front proxies that may name the user of a request; none may if not given. */
  readonly frontProxies?: FrontProxies;
  /** Whether requests without credentials are anonymous rather than rejected; true if not given. */
  readonly anonymousAuth?: AnonymousAccess;
  readonly sha256: Hash;
  readonly log: Log;
}

export interface JwtOptions {
  readonly authenticators: readonly CheckedJwtAuthenticator[];
  /** The algorithms that tokens may be signed with. */
  readonly algorithms: readonly string[];
}

export interface TokenWebhookSettings {
  readonly server: ReviewServer;
  readonly version: TokenReviewVersion;
  /** How long its responses are kept. */
  readonly cacheTtlMs: number;
}

/** What authentication uses of the server. */
export interface AuthenticationParts extends TokenSources {
  readonly environment: Pick<Environment, "clock" | "random">;
  readonly egress: Egress;
  readonly verifySignature: VerifySignature;
  readonly metrics: Metrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  /** Observes how many seconds the certificate of a caller is still valid. */
  readonly usedCertificate?: (seconds: number) => void;
  /** The name of this server among those of the cluster. */
  readonly serverName: string;
}

/** The authentication of a server, which has connections to others. */
export interface ServerAuthentication extends Authentication {
  /** The issuers, which can be replaced; absent if there can be none. */
  readonly jwt: JwtAuthenticators | undefined;
  close(): void;
}

/** The authentication of a server; token authenticators are tried in this order. */
export function serverAuthentication(
  options: AuthenticationOptions,
  parts: AuthenticationParts,
): ServerAuthentication {
  const { tokenIssuer, staticTokens, bootstrapTokens = false, sha256, log } = options;
  const { audiences } = tokenIssuer;
  const joining = forServer(audiences, (token) => bootstrapUser(parts, token));
  const jwt = options.jwt && jwtAuthenticators(options.jwt, options, parts);
  const reviewed = options.tokenWebhook && reviewedTokens(options.tokenWebhook, options, parts);
  const tokens: readonly (TokenAuthenticator | undefined)[] = [
    staticTokens && forServer(audiences, (token) => staticTokens.get(token)),
    signedTokens(tokenIssuer, sha256, [
      legacyTokens(parts, tokenIssuer),
      serviceAccountTokens(parts, tokenIssuer),
    ]),
    bootstrapTokens ? joining : undefined,
    // These may ask others, so that they come last.
    jwt,
    reviewed?.tokens,
  ];
  return {
    tokens: anyOf(tokens.filter((one) => one !== undefined)),
    audiences,
    anonymous: options.anonymousAuth ?? true,
    frontProxies: options.frontProxies,
    onRefused: (error) => log.warn("request was not authenticated", { error }),
    onCertificate: (validUntil) =>
      parts.usedCertificate?.((validUntil - parts.environment.clock.now()) / 1000),
    jwt,
    close() {
      jwt?.close();
      reviewed?.webhook.close();
    },
  };
}

function jwtAuthenticators(
  { authenticators, algorithms }: JwtOptions,
  { tokenIssuer, sha256, log }: AuthenticationOptions,
  { environment: { clock }, metrics, serverName: server, ...parts }: AuthenticationParts,
): JwtAuthenticators {
  const hash = labelHash(sha256);
  const measured = new JwtMetrics(metrics, { hash, server, now: () => clock.now() });
  const setup = { ...parts, clock, log, algorithms, metrics: measured };
  return new JwtAuthenticators(authenticators, setup, tokenIssuer);
}

/** Hashes what metrics do not show. */
export const labelHash =
  (sha256: Hash) =>
  (text: string): string =>
    text === ""
      ? ""
      : `sha256:${Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Authenticates tokens by reviews of another server, which are kept. */
function reviewedTokens(
  { server, version, cacheTtlMs: ttlMs }: TokenWebhookSettings,
  { tokenIssuer: { audiences }, sha256, log }: AuthenticationOptions,
  { egress, environment, metrics, ticks }: AuthenticationParts,
): { readonly webhook: ReviewWebhook; readonly tokens: TokenAuthenticator } {
  const { clock, random } = environment;
  const { controlPlane: network } = egress;
  const webhook = new ReviewWebhook({ server, network, clock, random });
  const tokens = tokenWebhook({ webhook, version, audiences, log });
  const cache = { ttlMs, clock, ticks, sha256, metrics: new TokenCacheMetrics(metrics) };
  return { webhook, tokens: cachedTokens(tokens, cache) };
}
