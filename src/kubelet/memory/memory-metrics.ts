import type { Metrics } from "../../base/metrics.ts";

/** Counts containers that get memory of NUMA nodes. */
export interface MemoryMetrics {
  requested(): void;
  failed(): void;
}

/** Registers the metrics of memory of NUMA nodes. */
export function createMemoryMetrics(metrics: Metrics): MemoryMetrics {
  const requests = metrics.counter(definitions.requests).of();
  const errors = metrics.counter(definitions.errors).of();
  return { requested: () => requests.add(1), failed: () => errors.add(1) };
}

const definitions = {
  requests: {
    name: "kubelet_memory_manager_pinning_requests_total",
    help: "The number of memory pages allocations which required pinning.",
    stability: "ALPHA",
  },
  errors: {
    name: "kubelet_memory_manager_pinning_errors_total",
    help: "The number of memory pages allocations which required pinning that failed.",
    stability: "ALPHA",
  },
} as const;
