import type { Metrics } from "../../base/metrics.ts";
import { type FeatureGate, featureGates } from "../flags/feature-gates.ts";

/** Adds metrics for features that are on: v1.36's defaults, because setting gates has no effect here. */
export function addFeatureMetrics(metrics: Metrics): void {
  const family = metrics.gauge(enabled);
  metrics.onRead(() => {
    for (const [name, gate] of featureGates) family.of(name, stages[gate.stage]).set(+gate.default);
  });
}

const stages: Readonly<Record<FeatureGate["stage"], string>> = {
  Alpha: "ALPHA",
  Beta: "BETA",
  GA: "",
  Deprecated: "DEPRECATED",
};

const enabled = {
  name: "kubernetes_feature_enabled",
  help: "1 for every feature that is on, 0 for those that are not.",
  stability: "BETA",
  labels: ["name", "stage"],
} as const;
