import type { Counter, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

/** The metrics of a controller, with the names of controller-runtime. */
export interface ControllerMetrics {
  readonly results: Readonly<Record<"success" | "error" | "requeue" | "requeue_after", Counter>>;
  readonly errors: Counter;
  readonly terminalErrors: Counter;
  readonly timeouts: Counter;
  readonly seconds: Histogram;
  readonly active: Gauge;
}

/** The metrics of a controller that reconciles `concurrency` keys at a time. */
export function controllerMetrics(
  metrics: Metrics,
  name: string,
  concurrency: number,
): ControllerMetrics {
  const total = metrics.counter(definitions.total);
  metrics.gauge(definitions.workers).of(name).set(concurrency);
  // JavaScript has no panics: everything that is thrown counts as an error.
  metrics.counter(definitions.panics).of(name);
  return {
    results: {
      success: total.of(name, "success"),
      error: total.of(name, "error"),
      requeue: total.of(name, "requeue"),
      requeue_after: total.of(name, "requeue_after"),
    },
    errors: metrics.counter(definitions.errors).of(name),
    terminalErrors: metrics.counter(definitions.terminalErrors).of(name),
    timeouts: metrics.counter(definitions.timeouts).of(name),
    seconds: metrics.histogram(definitions.seconds).of(name),
    active: metrics.gauge(definitions.active).of(name),
  };
}

const labels = ["controller"] as const;
const definitions = {
  total: {
    name: "controller_runtime_reconcile_total",
    help: "Total number of reconciliations per controller",
    labels: ["controller", "result"],
  },
  errors: {
    name: "controller_runtime_reconcile_errors_total",
    help: "Total number of reconciliation errors per controller",
    labels,
  },
  terminalErrors: {
    name: "controller_runtime_terminal_reconcile_errors_total",
    help: "Total number of terminal reconciliation errors per controller",
    labels,
  },
  panics: {
    name: "controller_runtime_reconcile_panics_total",
    help: "Total number of reconciliation panics per controller",
    labels,
  },
  timeouts: {
    name: "controller_runtime_reconcile_timeouts_total",
    help: "Total number of reconciliation timeouts per controller",
    labels,
  },
  seconds: {
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of time per reconciliation per controller",
    labels,
    buckets: [
      0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9,
      1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
    ],
  },
  workers: {
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles per controller",
    labels,
  },
  active: {
    name: "controller_runtime_active_workers",
    help: "Number of currently used workers per controller",
    labels,
  },
} as const;
