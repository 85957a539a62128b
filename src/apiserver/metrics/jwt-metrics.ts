import type { Family, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

/** Hashes names and documents, which metrics do not show. */
export type LabelHash = (text: string) => string;

/** The metrics of the authentication of tokens of other issuers. */
export class JwtMetrics {
  readonly #latency: Family<Histogram>;
  readonly #fetched: Family<Gauge>;
  readonly #keySet: Family<Gauge>;
  readonly #hash: LabelHash;
  readonly #server: string;
  readonly #now: () => number;
  /** The hash of the last key set of each issuer. */
  readonly #last = new Map<string, string>();

  constructor(
    metrics: Metrics,
    {
      hash,
      server,
      now,
    }: {
      readonly hash: LabelHash;
      /** The name of this server. */
      readonly server: string;
      /** Milliseconds since 1970. */
      readonly now: () => number;
    },
  ) {
    this.#latency = metrics.histogram(latency);
    this.#fetched = metrics.gauge(fetched);
    this.#keySet = metrics.gauge(keySet);
    this.#hash = hash;
    this.#server = server === "" ? "" : hash(server);
    this.#now = now;
  }

  authenticated(issuer: string, result: "success" | "failure", seconds: number): void {
    this.#latency.of(result, this.#hash(issuer)).observe(seconds);
  }

  /** Records that keys were fetched, or without a key set, that this has failed. */
  fetchedKeys(issuer: string, keys?: string): void {
    const name = this.#hash(issuer);
    const result = keys === undefined ? "failure" : "success";
    this.#fetched.of(result, name, this.#server).set(this.#now() / 1000);
    if (keys === undefined) return;
    this.#removeKeySet(name);
    const hashed = this.#hash(keys);
    this.#last.set(name, hashed);
    this.#keySet.of(name, this.#server, hashed).set(1);
  }

  /** Forgets an issuer that is no longer configured. */
  forget(issuer: string): void {
    const name = this.#hash(issuer);
    for (const result of ["success", "failure"]) this.#fetched.remove(result, name, this.#server);
    this.#removeKeySet(name);
    this.#last.delete(name);
  }

  #removeKeySet(name: string): void {
    const last = this.#last.get(name);
    if (last !== undefined) this.#keySet.remove(name, this.#server, last);
  }
}

const latency = {
  name: "apiserver_authentication_jwt_authenticator_latency_seconds",
  help: "Seconds that the authentication of a token of another issuer took, by how that ended.",
  stability: "ALPHA",
  labels: ["result", "jwt_issuer_hash"],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const;

const fetched = {
  name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds",
  help: "When the keys of an issuer were last fetched, by how that ended.",
  stability: "ALPHA",
  labels: ["result", "jwt_issuer_hash", "apiserver_id_hash"],
} as const;

const keySet = {
  name: "apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info",
  help: "The hash of the key set that an issuer had last.",
  stability: "ALPHA",
  labels: ["jwt_issuer_hash", "apiserver_id_hash", "hash"],
} as const;
