import type { Metrics } from "../../base/metrics.ts";
import { alignmentMetrics } from "../topology/alignment-metrics.ts";
import type { CpuAssignments } from "./cpu-assignments.ts";
import { type CpuSet, cpusWithout } from "./cpu-set.ts";
import { type StaticCpuPolicy, shareCache } from "./static-cpu-policy.ts";

/** Counts containers that get CPUs for themselves, and shows how many are left. */
export interface CpuMetrics {
  /** A container requests CPUs for itself; one of the results is called. */
  requested(): CpuRequestMetrics;
  /** The assignments have changed. */
  update(assignments: CpuAssignments): void;
}

/** How a request for CPUs ends. */
export interface CpuRequestMetrics {
  allocated(cpus: CpuSet): void;
  /** The container had them already. */
  kept(): void;
  failed(): void;
}

/** Registers the metrics of exclusive CPUs; without a policy they stay 0. */
export function createCpuMetrics(metrics: Metrics, policy?: StaticCpuPolicy): CpuMetrics {
  const requests = metrics.counter(definitions.requests).of();
  const errors = metrics.counter(definitions.errors).of();
  const shared = metrics.gauge(definitions.shared).of();
  const exclusive = metrics.gauge(definitions.exclusive).of();
  const perNode = metrics.gauge(definitions.perNode);
  const aligned = metrics.counter(alignmentMetrics.aligned);
  const unaligned = metrics.counter(alignmentMetrics.unaligned);
  const alignsCores = policy?.options.has("full-pcpus-only") ?? false;
  if (policy) {
    unaligned.of(...wholeCores).add(0);
    aligned.of(...wholeCores).add(0);
    aligned.of(...oneCache).add(0);
  }
  return {
    requested() {
      requests.add(1);
      const kept = (): void => {
        if (alignsCores) aligned.of(...wholeCores).add(1);
      };
      return {
        kept,
        allocated(cpus) {
          kept();
          if (policy && shareCache(policy.topology, cpus)) aligned.of(...oneCache).add(1);
        },
        failed() {
          errors.add(1);
          if (alignsCores) unaligned.of(...wholeCores).add(1);
        },
      };
    },
    update(assignments) {
      if (!policy) return;
      shared.set(cpusWithout(assignments.shared, policy.reserved).size * 1000);
      exclusive.set(assignments.exclusive.size);
      const counts = new Map<number, number>();
      for (const [cpu, { node }] of policy.topology.places)
        counts.set(node, (counts.get(node) ?? 0) + (assignments.exclusive.has(cpu) ? 1 : 0));
      for (const [node, count] of counts) perNode.of(String(node)).set(count);
    },
  };
}

const wholeCores = ["container", "physical_cpu"] as const;
const oneCache = ["container", "uncore_cache"] as const;

const definitions = {
  requests: {
    name: "kubelet_cpu_manager_pinning_requests_total",
    help: "The number of cpu core allocations which required pinning.",
    stability: "ALPHA",
  },
  errors: {
    name: "kubelet_cpu_manager_pinning_errors_total",
    help: "The number of cpu core allocations which required pinning failed.",
    stability: "ALPHA",
  },
  shared: {
    name: "kubelet_cpu_manager_shared_pool_size_millicores",
    help: "The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.",
    stability: "ALPHA",
  },
  exclusive: {
    name: "kubelet_cpu_manager_exclusive_cpu_allocation_count",
    help: "The total number of CPUs exclusively allocated to containers running on this node",
    stability: "ALPHA",
  },
  perNode: {
    name: "kubelet_cpu_manager_allocation_per_numa",
    help: "Number of CPUs allocated per NUMA node",
    stability: "ALPHA",
    labels: ["numa_node"],
  },
} as const;
