import type { Metrics } from "../../base/metrics.ts";

/** Registers the metrics of network policies; Kubernetes has no names for them. */
export function createPolicyMetrics(metrics: Metrics) {
  const name = (rest: string): string => `wherry_network_policy_${rest}`;
  return {
    syncs: metrics
      .histogram({
        name: name("sync_duration_seconds"),
        help: "How long it took to apply changes of network policies to the kernel.",
        buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
      })
      .of(),
    failures: metrics
      .counter({
        name: name("sync_failures_total"),
        help: "How often changes of network policies could not be applied to the kernel.",
      })
      .of(),
    lastSync: metrics
      .gauge({
        name: name("last_sync_timestamp_seconds"),
        help: "When the kernel was last known to do what network policies say.",
      })
      .of(),
    isolated: metrics
      .gauge({
        name: name("isolated_addresses"),
        help: "How many addresses of the node's pods are selected by network policies.",
      })
      .of(),
  };
}
