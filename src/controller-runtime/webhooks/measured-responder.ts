import type { Metrics } from "../../base/metrics.ts";
import type { RespondToReview } from "./respond-to-review.ts";

export interface ResponderMeasurement {
  readonly metrics: Metrics;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
  /** The paths of webhooks: others are not counted, because clients could invent any number of them. */
  readonly paths: ReadonlySet<string>;
}

/** Counts and times reviews by the paths of their webhooks, in controller-runtime's metrics. */
export function measuredResponder(
  respond: RespondToReview,
  { metrics, ticks, paths }: ResponderMeasurement,
): RespondToReview {
  const total = metrics.counter(definitions.total);
  const seconds = metrics.histogram(definitions.seconds);
  const inFlight = metrics.gauge(definitions.inFlight);
  return async (path, review) => {
    if (!paths.has(path)) return respond(path, review);
    const begun = ticks();
    let code = 500;
    inFlight.of(path).add(1);
    try {
      const response = await respond(path, review);
      code = response.status;
      return response;
    } finally {
      inFlight.of(path).add(-1);
      seconds.of(path).observe((ticks() - begun) / 1000);
      total.of(path, String(code)).add(1);
    }
  };
}

const labels = ["webhook"] as const;
const definitions = {
  total: {
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code.",
    labels: ["webhook", "code"],
  },
  seconds: {
    name: "controller_runtime_webhook_latency_seconds",
    help: "Histogram of the latency of processing admission requests",
    labels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  inFlight: {
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Current number of admission requests being served.",
    labels,
  },
} as const;
