import type { Metrics } from "../../base/metrics.ts";

/** Counts evictions by their signals. */
export interface EvictionMetrics {
  evicted(signal: string): void;
  /** How old the observation is that a pod is evicted for. */
  statsAge(signal: string, ms: number): void;
}

export function evictionMetrics(metrics: Metrics): EvictionMetrics {
  const labels = ["eviction_signal"];
  const evictions = metrics.counter({
    name: "kubelet_evictions",
    help: "Cumulative number of pod evictions by eviction signal",
    stability: "ALPHA",
    labels,
  });
  const ages = metrics.histogram({
    name: "kubelet_eviction_stats_age_seconds",
    help: "Time between when stats are collected, and when pod is evicted based on those stats by eviction signal",
    stability: "ALPHA",
    labels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    evicted: (signal) => evictions.of(signal).add(1),
    statsAge: (signal, ms) => ages.of(signal).observe(ms / 1000),
  };
}
