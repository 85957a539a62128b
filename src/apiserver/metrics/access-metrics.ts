import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";
import type { LegacyTokenUse } from "../authentication/token-sources.ts";
import type { Decision } from "../authorization/authorizer.ts";

/** The metrics of authentication and authorization; times are milliseconds. */
export class AccessMetrics {
  readonly #users: (name: string) => Counter;
  readonly #authentication: (result: string) => Timed;
  readonly #authorization: (result: string) => Timed;
  readonly #filters: (name: string) => Histogram;
  readonly #validTokens: Family<Counter>;
  readonly #staleTokens: Family<Counter>;
  readonly #legacyTokens: Readonly<Record<LegacyTokenUse, Counter>>;
  readonly #expirations: Histogram;

  constructor(metrics: Metrics) {
    const users = metrics.counter(userRequests);
    this.#users = remembered((name) => users.of(name));
    this.#authentication = timedBy(
      metrics.counter(authenticationAttempts),
      metrics.histogram(authenticationDuration),
    );
    this.#authorization = timedBy(
      metrics.counter(authorizationAttempts),
      metrics.histogram(authorizationDuration),
    );
    const filters = metrics.histogram(filterDuration);
    this.#filters = remembered((name) => filters.of(name));
    this.#validTokens = metrics.counter(validTokens);
    this.#staleTokens = metrics.counter(staleTokens);
    this.#legacyTokens = {
      signed: metrics.counter(legacyTokens).of(),
      generated: metrics.counter(generatedTokens).of(),
      manual: metrics.counter(manualTokens).of(),
      invalidated: metrics.counter(invalidatedTokens).of(),
    };
    this.#expirations = metrics.histogram(certificateExpiration).of();
    // Shown from the start on.
    this.#validTokens.of();
    this.#staleTokens.of();
  }

  /** Counts the use of an extended token; it is stale once it should have been renewed. */
  usedToken(isStale: boolean): void {
    (isStale ? this.#staleTokens : this.#validTokens).of().add(1);
  }

  /** Counts the use of a token that is kept in a secret. */
  usedLegacyToken(use: LegacyTokenUse): void {
    this.#legacyTokens[use].add(1);
  }

  /** Observes how long a client's certificate is still valid. */
  usedCertificate(seconds: number): void {
    this.#expirations.observe(seconds);
  }

  /** Counts an authentication; without a user, a failed one. */
  authenticated(user: string | undefined, begun: number, ended: number): void {
    const seconds = (ended - begun) / 1000;
    if (user !== undefined) this.#users(labelOfUser(user)).add(1);
    this.#authentication(user === undefined ? "error" : "success").count(seconds);
    this.#filters("authentication").observe(seconds);
  }

  /** Counts an authorization and its duration. */
  authorized(verdict: Decision["verdict"] | "error", begun: number, ended: number): void {
    const seconds = (ended - begun) / 1000;
    this.#authorization(results[verdict]).count(seconds);
    this.#filters("authorization").observe(seconds);
  }
}

const results: Readonly<Record<Decision["verdict"] | "error", string>> = {
  allow: "allowed",
  deny: "denied",
  "no opinion": "no-opinion",
  error: "error",
};

const knownUsers: ReadonlySet<string> = new Set([
  "admin",
  "client",
  "kube_proxy",
  "kubelet",
  "system:serviceaccount:kube-system:default",
]);

/** The label of a user: only a few system users have their own, so that labels stay few. */
function labelOfUser(name: string): string {
  if (knownUsers.has(name)) return name;
  return name.includes("@") ? "email_id" : "other";
}

interface Timed {
  count(seconds: number): void;
}

interface Labelled<M> {
  of(...values: readonly string[]): M;
}

const timedBy = (totals: Labelled<Counter>, durations: Labelled<Histogram>) =>
  remembered((result): Timed => {
    const total = totals.of(result);
    const duration = durations.of(result);
    return {
      count(seconds) {
        total.add(1);
        duration.observe(seconds);
      },
    };
  });

/** Caches the value for each name; there are few names. */
function remembered<T>(make: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let found = known.get(name);
    if (found === undefined) {
      found = make(name);
      known.set(name, found);
    }
    return found;
  };
}

/** From a millisecond on, each twice the one before. */
const doubling = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

const userRequests = {
  name: "authenticated_user_requests",
  help: "Requests of known users, by user.",
  stability: "ALPHA",
  labels: ["username"],
} as const;

const authenticationAttempts = {
  name: "authentication_attempts",
  help: "How often who calls was looked up, by how that ended.",
  stability: "ALPHA",
  labels: ["result"],
} as const;

const authenticationDuration = {
  name: "authentication_duration_seconds",
  help: "Seconds that it took to find out who calls, by how that ended.",
  stability: "ALPHA",
  labels: ["result"],
  buckets: doubling,
} as const;

const authorizationAttempts = {
  name: "authorization_attempts_total",
  help: "How often it was decided who may do what, by how that ended.",
  stability: "ALPHA",
  labels: ["result"],
} as const;

const authorizationDuration = {
  name: "authorization_duration_seconds",
  help: "Seconds that it took to decide who may do what, by how that ended.",
  stability: "ALPHA",
  labels: ["result"],
  buckets: doubling,
} as const;

const legacyToken = (name: string, help: string) =>
  ({ name: `serviceaccount_${name}`, help, stability: "ALPHA" }) as const;

const legacyTokens = legacyToken("legacy_tokens_total", "Uses of tokens that are kept in secrets.");
const generatedTokens = legacyToken(
  "legacy_auto_token_uses_total",
  "Uses of tokens in secrets that were generated for an account.",
);
const manualTokens = legacyToken(
  "legacy_manual_token_uses_total",
  "Uses of tokens in secrets that were created by hand.",
);
const invalidatedTokens = legacyToken(
  "invalid_legacy_auto_token_uses_total",
  "Uses of tokens in secrets that have been marked as invalid.",
);

const hour = 3600;
const day = 24 * hour;
const certificateExpiration = {
  name: "apiserver_client_certificate_expiration_seconds",
  help: "How long the certificates of clients are still valid, at each request.",
  stability: "ALPHA",
  buckets: [
    ...[0, hour / 2, hour, 2 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day],
    ...[7 * day, 30 * day, 90 * day, 180 * day, 360 * day],
  ],
} as const;

const validTokens = {
  name: "serviceaccount_valid_tokens_total",
  help: "Uses of pods' tokens that were renewed in time.",
  stability: "ALPHA",
} as const;

const staleTokens = {
  name: "serviceaccount_stale_tokens_total",
  help: "Uses of pods' tokens that should have been renewed.",
  stability: "ALPHA",
} as const;

const filterDuration = {
  name: "apiserver_request_filter_duration_seconds",
  help: "Seconds that requests spent on steps before they were carried out, by step.",
  stability: "ALPHA",
  labels: ["filter"],
  buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
} as const;
