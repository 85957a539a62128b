import type { Metrics } from "../../base/metrics.ts";

/** The words in which the metrics of a controller differ from those of others. */
export interface EvictionMetricNames {
  readonly subsystem: string;
  readonly controller: string;
  /** What lies before the deletion in the help of the latency. */
  readonly cause: string;
}

const taintNames: EvictionMetricNames = {
  subsystem: "taint_eviction_controller",
  controller: "TaintEvictionController",
  cause: "a taint effect has been activated for the Pod and its",
};

/** Counts evicted pods and the latency of evictions, in upstream's metrics. */
export function evictionMetrics(
  metrics: Metrics,
  { subsystem, controller, cause }: EvictionMetricNames = taintNames,
): (ms: number) => void {
  const deletions = metrics
    .counter({
      name: `${subsystem}_pod_deletions_total`,
      help: `Total number of Pods deleted by ${controller} since its start.`,
      stability: "ALPHA",
    })
    .of();
  const duration = metrics
    .histogram({
      name: `${subsystem}_pod_deletion_duration_seconds`,
      help: `Latency, in seconds, between the time when ${cause} deletion via ${controller}.`,
      stability: "ALPHA",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    })
    .of();
  return (ms) => {
    deletions.add(1);
    duration.observe(ms / 1000);
  };
}
