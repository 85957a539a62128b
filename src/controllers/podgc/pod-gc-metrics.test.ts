import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { podGcMetrics } from "./pod-gc-metrics.ts";

test("podGcMetrics: collected pods and errors are counted", () => {
  const registry = new MetricsRegistry();
  const metrics = podGcMetrics(registry);
  metrics.collected("a", "orphaned");
  metrics.collected("a", "orphaned");
  metrics.failed("a", "orphaned");
  metrics.collected("b", "out-of-service");
  expect(registry.text().split("\n")).toEqual(
    expect.arrayContaining([
      'pod_gc_collector_force_delete_pods_total{namespace="a",reason="orphaned"} 2',
      'pod_gc_collector_force_delete_pod_errors_total{namespace="a",reason="orphaned"} 1',
      'pod_gc_collector_force_delete_pods_total{namespace="b",reason="out-of-service"} 1',
    ]),
  );
});
