import type { MetricSpec } from "../../api/autoscaling/v2/metric.ts";
import type { Metrics } from "../../base/metrics.ts";

export type ScaleAction = "scale_up" | "scale_down" | "none";
/** Whose fault an error is. */
export type FaultLabel = "spec" | "internal" | "none";

/** The metrics of the controller, under upstream's names. */
export interface AutoscalerMetrics {
  reconciled(action: ScaleAction, fault: FaultLabel, ms: number): void;
  computed(
    type: MetricSpec["type"],
    outcome: { readonly action: ScaleAction; readonly fault: FaultLabel; readonly ms: number },
  ): void;
  /** How many autoscalers there are. */
  count(autoscalers: number): void;
  desired(namespace: string, name: string, replicas: number): void;
  forget(namespace: string, name: string): void;
}

export function autoscalerMetrics(metrics: Metrics): AutoscalerMetrics {
  const labels = ["action", "error"];
  const meaning =
    "The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'. Note that if both spec and internal errors happen during a reconciliation, the first one to occur is reported in `error` label.";
  const typed = "The label 'metric_type' corresponds to HPA.spec.metrics[*].type";
  const actionAndError =
    "The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'.";
  const action = "The label 'action' should be either 'scale_down', 'scale_up', or 'none'.";
  const error = "The label 'error' should be either 'spec', 'internal', or 'none'.";
  const reconciliations = metrics.counter({
    name: `${prefix}_reconciliations_total`,
    help: `Number of reconciliations of HPA controller. ${meaning}`,
    stability: "BETA",
    labels,
  });
  const reconciliationTimes = metrics.histogram({
    name: `${prefix}_reconciliation_duration_seconds`,
    help: `The time(seconds) that the HPA controller takes to reconcile once. ${meaning}`,
    stability: "BETA",
    labels,
    buckets,
  });
  const computations = metrics.counter({
    name: `${prefix}_metric_computation_total`,
    help: `Number of metric computations. ${actionAndError} ${typed}`,
    stability: "BETA",
    labels: [...labels, "metric_type"],
  });
  const computationTimes = metrics.histogram({
    name: `${prefix}_metric_computation_duration_seconds`,
    help: `The time(seconds) that the HPA controller takes to calculate one metric. ${action} ${error} ${typed}`,
    stability: "BETA",
    labels: [...labels, "metric_type"],
    buckets,
  });
  const autoscalers = metrics.gauge({
    name: `${prefix}_num_horizontal_pod_autoscalers`,
    help: "Current number of controlled HPA objects.",
    stability: "ALPHA",
  });
  const desired = metrics.gauge({
    name: `${prefix}_desired_replicas`,
    help: "Current desired replica count for HPA objects.",
    stability: "ALPHA",
    labels: ["namespace", "hpa_name"],
  });
  return {
    reconciled(of, fault, ms) {
      reconciliations.of(of, fault).add(1);
      reconciliationTimes.of(of, fault).observe(ms / 1000);
    },
    computed(type, { action: of, fault, ms }) {
      computations.of(of, fault, type).add(1);
      computationTimes.of(of, fault, type).observe(ms / 1000);
    },
    count: (all) => autoscalers.of().set(all),
    desired: (namespace, name, replicas) => desired.of(namespace, name).set(replicas),
    forget: (namespace, name) => desired.remove(namespace, name),
  };
}

const prefix = "horizontal_pod_autoscaler_controller";

/** From a millisecond on, each twice the one before. */
const buckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
