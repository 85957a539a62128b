import type { Metrics } from "../../base/metrics.ts";

/** Why a pod is collected, as a label of metrics. */
export type CollectReason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

/** Counts collected pods and errors, in upstream's metrics. */
export function podGcMetrics(metrics: Metrics) {
  const labels = ["namespace", "reason"];
  const all = metrics.counter({
    name: "pod_gc_collector_force_delete_pods_total",
    help: "Number of pods that are being forcefully deleted since the Pod GC Controller started.",
    stability: "ALPHA",
    labels,
  });
  const failed = metrics.counter({
    name: "pod_gc_collector_force_delete_pod_errors_total",
    help: "Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
    stability: "ALPHA",
    labels,
  });
  return {
    collected: (namespace: string, reason: CollectReason) => all.of(namespace, reason).add(1),
    failed: (namespace: string, reason: CollectReason) => failed.of(namespace, reason).add(1),
  };
}
