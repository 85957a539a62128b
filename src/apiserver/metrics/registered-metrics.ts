import type { MetricsRegistry } from "../../base/metrics-registry.ts";

/** The metrics of metrics: how many there are. None of them is hidden, and none can be switched off. */
export function readRegisteredMetrics(metrics: MetricsRegistry): void {
  const total = metrics.counter(registered);
  metrics.onRead(() => {
    metrics.counter(hidden).of();
    metrics.counter(disabled).of();
    total.reset();
    for (const { stability, deprecated = "" } of metrics.definitions())
      if (stability) total.of(stability, deprecated).add(1);
  });
}

const registered = {
  name: "registered_metrics_total",
  help: "Metrics that there are, by how far they are kept and since when they are deprecated.",
  stability: "BETA",
  labels: ["stability_level", "deprecated_version"],
} as const;

const hidden = {
  name: "hidden_metrics_total",
  help: "Metrics that are not shown because they are to go.",
  stability: "BETA",
} as const;

const disabled = {
  name: "disabled_metrics_total",
  help: "Metrics that were switched off.",
  stability: "BETA",
} as const;
