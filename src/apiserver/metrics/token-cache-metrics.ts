import type { Counter, Family, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

/** The metrics of the cache of token reviews. */
export class TokenCacheMetrics {
  readonly #requests: Family<Counter>;
  readonly #durations: Family<Histogram>;
  readonly #fetches: Family<Counter>;
  readonly #active: Family<Gauge>;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(requests);
    this.#durations = metrics.histogram(durations);
    this.#fetches = metrics.counter(fetches);
    this.#active = metrics.gauge(active);
  }

  /** Counts a request that was answered from the cache, or not. */
  requested(isHit: boolean, seconds: number): void {
    const status = isHit ? "hit" : "miss";
    this.#requests.of(status).add(1);
    // Upstream counts whole milliseconds.
    this.#durations.of(status).observe(Math.floor(seconds * 1000) / 1000);
  }

  /** Counts a review that begins; the result is called when it has ended. */
  fetching(): (isOk: boolean) => void {
    this.#active.of("in_flight").add(1);
    return (isOk) => {
      this.#fetches.of(isOk ? "ok" : "error").add(1);
      this.#active.of("in_flight").add(-1);
    };
  }

  /** Counts a request that waits for the review that another one has begun, until the result is called. */
  blocking(): () => void {
    this.#active.of("blocked").add(1);
    return () => this.#active.of("blocked").add(-1);
  }
}

const prefix = "authentication_token_cache_";
const common = { stability: "ALPHA", labels: ["status"] } as const;

const requests = {
  ...common,
  name: `${prefix}request_total`,
  help: "Requests with tokens that are reviewed, by whether the cache had the outcome.",
} as const;

const durations = {
  ...common,
  name: `${prefix}request_duration_seconds`,
  help: "Seconds until the outcome of a token was there, by whether the cache had it.",
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
} as const;

const fetches = {
  ...common,
  name: `${prefix}fetch_total`,
  help: "Reviews of tokens, by how they ended.",
} as const;

const active = {
  ...common,
  name: `${prefix}active_fetch_count`,
  help: "Reviews that are under way, and requests that wait for them.",
} as const;
