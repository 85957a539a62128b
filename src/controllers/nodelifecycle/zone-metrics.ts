import type { Metrics } from "../../base/metrics.ts";
import type { ZoneNodes } from "./zone-state.ts";

/** The metrics of the node lifecycle controller, with upstream's names. */
export interface ZoneMetrics {
  zone(name: string, nodes: ZoneNodes): void;
  /** Counts evicted nodes; 0 for a new zone. */
  evicted(zone: string, count: 0 | 1): void;
  /** The duration of the check of a node, in milliseconds. */
  looked(ms: number): void;
  /** The duration of a pass over all nodes. */
  passed(ms: number): void;
}

export function zoneMetrics(metrics: Metrics): ZoneMetrics {
  const labels = ["zone"];
  const stability = "ALPHA";
  const health = metrics.gauge({
    name: "node_collector_zone_health",
    help: "Gauge measuring percentage of healthy nodes per zone.",
    stability,
    labels,
  });
  const size = metrics.gauge({
    name: "node_collector_zone_size",
    help: "Gauge measuring number of registered Nodes per zones.",
    stability,
    labels,
  });
  const unhealthy = metrics.gauge({
    name: "node_collector_unhealthy_nodes_in_zone",
    help: "Gauge measuring number of not Ready Nodes per zones.",
    stability,
    labels,
  });
  const evictions = metrics.counter({
    name: "node_collector_evictions_total",
    help: "Number of Node evictions that happened since current instance of NodeController started.",
    stability: "STABLE",
    labels,
  });
  const lookDuration = metrics
    .histogram({
      name: "node_collector_update_node_health_duration_seconds",
      help: "Duration in seconds for NodeController to update the health of a single node.",
      stability,
      buckets: [0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384],
    })
    .of();
  const passDuration = metrics
    .histogram({
      name: "node_collector_update_all_nodes_health_duration_seconds",
      help: "Duration in seconds for NodeController to update the health of all nodes.",
      stability,
      buckets: [0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84],
    })
    .of();
  return {
    zone(name, { ready, notReady }) {
      const all = ready + notReady;
      size.of(name).set(all);
      health.of(name).set(all === 0 ? 100 : (100 * ready) / all);
      unhealthy.of(name).set(notReady);
    },
    evicted: (zone, count) => evictions.of(zone).add(count),
    looked: (ms) => lookDuration.observe(ms / 1000),
    passed: (ms) => passDuration.observe(ms / 1000),
  };
}
