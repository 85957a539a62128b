import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { alignmentMetrics } from "./alignment-metrics.ts";
import type { TopologyPolicy } from "./topology-policy.ts";

/** Counts pods that get resources, and how they are aligned. */
export interface TopologyMetrics {
  /** A pod is looked at; the result is called when it is done, with how it failed. */
  begin(): (failure?: { readonly isAligning: boolean }) => void;
  /** The resources of a container, or of a pod where that is the scope, are aligned. */
  aligned(policy: TopologyPolicy): void;
  unaligned(policy: TopologyPolicy): void;
}

/** Registers the metrics of the alignment of resources. */
export function createTopologyMetrics(
  metrics: Metrics,
  clock: Clock,
  { name: policyName }: TopologyPolicy,
): TopologyMetrics {
  const requests = metrics.counter(definitions.requests).of();
  const errors = metrics.counter(definitions.errors).of();
  const duration = metrics.histogram(definitions.duration).of();
  const aligned = metrics.counter(alignmentMetrics.aligned);
  const unaligned = metrics.counter(alignmentMetrics.unaligned);
  if (policyName !== "none")
    for (const family of [aligned, unaligned])
      for (const scope of ["container", "pod"]) family.of(scope, boundary).add(0);
  const isGuaranteed = ({ name }: TopologyPolicy): boolean => name === "single-numa-node";
  return {
    begin() {
      const start = clock.now();
      requests.add(1);
      return (failure) => {
        duration.observe(clock.now() - start);
        if (failure?.isAligning) errors.add(1);
      };
    },
    aligned: (policy) => isGuaranteed(policy) && aligned.of(policy.scope, boundary).add(1),
    unaligned: (policy) => isGuaranteed(policy) && unaligned.of(policy.scope, boundary).add(1),
  };
}

const boundary = "numa_node";

const definitions = {
  requests: {
    name: "kubelet_topology_manager_admission_requests_total",
    help: "The number of admission requests where resources have to be aligned.",
    stability: "ALPHA",
  },
  errors: {
    name: "kubelet_topology_manager_admission_errors_total",
    help: "The number of admission request failures where resources could not be aligned.",
    stability: "ALPHA",
  },
  duration: {
    name: "kubelet_topology_manager_admission_duration_ms",
    help: "Duration in milliseconds to serve a pod admission request.",
    stability: "ALPHA",
    buckets: Array.from({ length: 15 }, (_, i) => 0.05 * 2 ** i),
  },
} as const;
