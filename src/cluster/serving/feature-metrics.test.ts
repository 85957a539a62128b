import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { addFeatureMetrics } from "./feature-metrics.ts";

test("features: shows the stage of each, and whether it is on", () => {
  const metrics = new MetricsRegistry();
  addFeatureMetrics(metrics);
  const lines = metrics.text().split("\n");
  for (const line of [
    'kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0',
    'kubernetes_feature_enabled{name="AllBeta",stage="BETA"} 0',
    'kubernetes_feature_enabled{name="ComponentFlagz",stage="BETA"} 1',
    'kubernetes_feature_enabled{name="SidecarContainers",stage=""} 1',
    'kubernetes_feature_enabled{name="StorageNamespaceIndex",stage="DEPRECATED"} 1',
  ])
    expect(lines).toContain(line);
});
