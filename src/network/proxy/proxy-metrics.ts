import type { Metrics } from "../../base/metrics.ts";

/** Metrics of a service proxy, by the names of kube-proxy's. */
export type ProxyMetrics = ReturnType<typeof createProxyMetrics>;

/** Registers the metrics of a service proxy. */
export function createProxyMetrics(metrics: Metrics) {
  const named = (name: string, help: string, labels: readonly string[]) => ({
    ...{ name: `kubeproxy_${name}`, help, stability: "ALPHA" as const, labels },
  });
  const family = ["ip_family"];
  return {
    syncs: metrics.histogram({
      ...named("sync_proxy_rules_duration_seconds", "SyncProxyRules latency in seconds", family),
      buckets: syncBuckets,
    }),
    fullSyncs: metrics.histogram({
      ...named(
        "sync_full_proxy_rules_duration_seconds",
        "SyncProxyRules latency in seconds for full resyncs",
        family,
      ),
      buckets: syncBuckets,
    }),
    partialSyncs: metrics.histogram({
      ...named(
        "sync_partial_proxy_rules_duration_seconds",
        "SyncProxyRules latency in seconds for partial resyncs",
        family,
      ),
      buckets: syncBuckets,
    }),
    lastSync: metrics.gauge(
      named(
        "sync_proxy_rules_last_timestamp_seconds",
        "The last time proxy rules were successfully synced",
        family,
      ),
    ),
    lastQueued: metrics.gauge(
      named(
        "sync_proxy_rules_last_queued_timestamp_seconds",
        "The last time a sync of proxy rules was queued",
        family,
      ),
    ),
    programming: metrics.histogram({
      ...named(
        "network_programming_duration_seconds",
        "In Cluster Network Programming Latency in seconds",
        family,
      ),
      buckets: programmingBuckets,
    }),
    pendingEndpoints: metrics.gauge(
      named(
        "sync_proxy_rules_endpoint_changes_pending",
        "Pending proxy rules Endpoint changes",
        [],
      ),
    ),
    endpointChanges: metrics.counter(
      named(
        "sync_proxy_rules_endpoint_changes_total",
        "Cumulative proxy rules Endpoint changes",
        [],
      ),
    ),
    pendingServices: metrics.gauge(
      named("sync_proxy_rules_service_changes_pending", "Pending proxy rules Service changes", []),
    ),
    serviceChanges: metrics.counter(
      named("sync_proxy_rules_service_changes_total", "Cumulative proxy rules Service changes", []),
    ),
    failures: metrics.counter(
      named(
        "sync_proxy_rules_nftables_sync_failures_total",
        "Cumulative proxy nftables sync failures",
        family,
      ),
    ),
    withoutLocalEndpoints: metrics.gauge(
      named(
        "sync_proxy_rules_no_local_endpoints_total",
        "Number of services with a Local traffic policy and no endpoints",
        ["traffic_policy", "ip_family"],
      ),
    ),
    conntrackSyncs: metrics.histogram({
      ...named(
        "conntrack_reconciler_sync_duration_seconds",
        "ReconcileConntrackFlowsLatency latency in seconds",
        family,
      ),
      buckets: syncBuckets,
    }),
    conntrackDeletions: metrics.counter(
      named(
        "conntrack_reconciler_deleted_entries_total",
        "Cumulative conntrack flows deleted by conntrack reconciler",
        family,
      ),
    ),
  };
}

const range = (start: number, step: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => start + i * step);

/** From one millisecond to sixteen seconds. */
const syncBuckets = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

const programmingBuckets = [
  ...range(0.25, 0.25, 2),
  ...range(1, 1, 59),
  ...range(60, 5, 12),
  ...range(120, 30, 7),
];
