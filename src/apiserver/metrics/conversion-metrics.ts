import type { Family, Histogram, Metrics } from "../../base/metrics.ts";

/** One conversion of objects by a webhook that has ended. */
export interface ObservedConversion {
  readonly definition: string;
  /** The versions without their group. */
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** The kind of failure; undefined if it succeeded. */
  readonly failure: string | undefined;
}

/** The metrics of conversion webhooks: they are registered with the first definition that has one. */
export class ConversionMetrics {
  readonly #requests: ReturnType<Metrics["counter"]>;
  readonly #durations: Family<Histogram>;
  readonly #definitionDurations: Family<Histogram>;

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(requests);
    this.#durations = metrics.histogram(durations);
    this.#definitionDurations = metrics.histogram(definitionDurations);
  }

  observe({ definition, from, to, seconds, failure }: ObservedConversion): void {
    const outcome = failure === undefined ? ["success", ""] : ["failure", failure];
    this.#requests.of(...outcome).add(1);
    this.#durations.of(...outcome).observe(seconds);
    const succeeded = String(failure === undefined);
    this.#definitionDurations.of(definition, from, to, succeeded).observe(seconds);
  }
}

const requests = {
  name: "apiserver_conversion_webhook_request_total",
  help: "Requests to conversion webhooks, by result and kind of failure.",
  stability: "ALPHA",
  labels: ["result", "failure_type"],
} as const;

const durations = {
  name: "apiserver_conversion_webhook_duration_seconds",
  help: "Seconds that requests to conversion webhooks took.",
  stability: "ALPHA",
  labels: ["result", "failure_type"],
  buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
} as const;

const definitionDurations = {
  name: "apiserver_crd_conversion_webhook_duration_seconds",
  help: "Seconds that conversions by webhooks took, by definition and versions.",
  stability: "ALPHA",
  labels: ["crd_name", "from_version", "to_version", "succeeded"],
  buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
} as const;
