import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { zoneMetrics } from "./zone-metrics.ts";

test("zoneMetrics: zones are reported with upstream's names", () => {
  const registry = new MetricsRegistry();
  const metrics = zoneMetrics(registry);
  metrics.zone("z", { ready: 3, notReady: 1 });
  metrics.zone("gone", { ready: 0, notReady: 0 });
  metrics.evicted("z", 0);
  metrics.evicted("z", 1);
  metrics.looked(2);
  metrics.passed(50);
  const lines = registry.text().split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'node_collector_zone_health{zone="z"} 75',
      'node_collector_zone_size{zone="z"} 4',
      'node_collector_unhealthy_nodes_in_zone{zone="z"} 1',
      'node_collector_evictions_total{zone="z"} 1',
      'node_collector_zone_health{zone="gone"} 100',
      'node_collector_update_node_health_duration_seconds_bucket{le="0.004"} 1',
      'node_collector_update_all_nodes_health_duration_seconds_bucket{le="0.04"} 0',
      'node_collector_update_all_nodes_health_duration_seconds_bucket{le="0.16"} 1',
    ]),
  );
});
