import type { MetricsRegistry } from "../../base/metrics-registry.ts";

/** The metrics of metrics: how many there are, and how many are not shown. */
export function readRegisteredMetrics(metrics: MetricsRegistry): void {
  const total = metrics.counter(registered);
  const omitted = { hidden, disabled, unexpected };
  let counted = { hidden: 0, disabled: 0, unexpected: 0 };
  metrics.onRead(() => {
    const now = metrics.omitted();
    for (const why of ["hidden", "disabled", "unexpected"] as const)
      metrics
        .counter(omitted[why])
        .of()
        .add(now[why] - counted[why]);
    counted = now;
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

const unexpected = {
  name: "cardinality_enforcement_unexpected_categorizations_total",
  help: "Values of labels that were not on the list of allowed ones.",
  stability: "ALPHA",
} as const;
