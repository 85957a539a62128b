import { expect, test } from "vitest";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { createProbeMetrics } from "./probe-metrics.ts";

test("createProbeMetrics: counts results, measures successes, and forgets what is no longer probed", () => {
  const registry = new MetricsRegistry();
  const metrics = createProbeMetrics(registry);
  const series = {
    kind: "readiness",
    container: "c",
    pod: "p",
    namespace: "ns",
    uid: "1",
  } as const;
  metrics.observe(series, "success", 0.02);
  metrics.observe(series, "failure", 3);
  metrics.observe(series, "failure", 3);
  const text = registry.text();
  expect(text.split("\n").filter((line) => /^#|total|_count|="0.025"/.test(line))).toEqual([
    "# HELP prober_probe_duration_seconds [ALPHA] Duration in seconds for a probe response.",
    "# TYPE prober_probe_duration_seconds histogram",
    'prober_probe_duration_seconds_bucket{container="c",namespace="ns",pod="p",probe_type="Readiness",le="0.025"} 1',
    'prober_probe_duration_seconds_count{container="c",namespace="ns",pod="p",probe_type="Readiness"} 1',
    "# HELP prober_probe_total [BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.",
    "# TYPE prober_probe_total counter",
    'prober_probe_total{container="c",namespace="ns",pod="p",pod_uid="1",probe_type="Readiness",result="failed"} 2',
    'prober_probe_total{container="c",namespace="ns",pod="p",pod_uid="1",probe_type="Readiness",result="successful"} 1',
  ]);
  metrics.remove(series);
  expect(registry.text()).toBe("");
});
