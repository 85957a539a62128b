import type { Metrics } from "../../base/metrics.ts";

/** Counts evicted pods and the latency of evictions, in upstream's metrics. */
export function evictionMetrics(metrics: Metrics): (ms: number) => void {
  const deletions = metrics
    .counter({
      name: "taint_eviction_controller_pod_deletions_total",
      help: "Total number of Pods deleted by TaintEvictionController since its start.",
      stability: "ALPHA",
    })
    .of();
  const duration = metrics
    .histogram({
      name: "taint_eviction_controller_pod_deletion_duration_seconds",
      help: "Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController.",
      stability: "ALPHA",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    })
    .of();
  return (ms) => {
    deletions.add(1);
    duration.observe(ms / 1000);
  };
}
