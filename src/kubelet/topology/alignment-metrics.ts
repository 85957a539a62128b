/** The metrics of resources that are near each other: to NUMA nodes, cores or caches. */
export const alignmentMetrics = {
  aligned: {
    name: "kubelet_container_aligned_compute_resources_count",
    help: "Cumulative number of aligned compute resources allocated to containers by alignment type.",
    stability: "ALPHA",
    labels: ["scope", "boundary"],
  },
  unaligned: {
    name: "kubelet_container_aligned_compute_resources_failure_count",
    help: "Cumulative number of failures to allocate aligned compute resources to containers by alignment type.",
    stability: "ALPHA",
    labels: ["scope", "boundary"],
  },
} as const;
