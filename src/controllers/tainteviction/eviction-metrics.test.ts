import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { evictionMetrics } from "./eviction-metrics.ts";

test("evictionMetrics: how many pods left, and how long that took", () => {
  const registry = new MetricsRegistry();
  evictionMetrics(registry)(20);
  expect(registry.text().split("\n")).toEqual(
    expect.arrayContaining([
      "taint_eviction_controller_pod_deletions_total 1",
      'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.005"} 0',
      'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.025"} 1',
    ]),
  );
});
