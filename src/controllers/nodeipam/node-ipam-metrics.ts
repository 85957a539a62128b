import type { Metrics } from "../../base/metrics.ts";
import type { CidrSetMetrics } from "./cidr-set.ts";

/** Upstream's metrics of the ranges of a network; their names and help are upstream's, misprints included. */
export function nodeIpamMetrics(
  metrics: Metrics,
): (network: string, size: number) => CidrSetMetrics {
  const define = (name: string, help: string) => ({
    name: `node_ipam_controller_${name}`,
    help,
    stability: "ALPHA" as const,
    labels: ["clusterCIDR"],
  });
  const allocations = metrics.counter(
    define(
      "cidrset_cidrs_allocations_total",
      "Counter measuring total number of CIDR allocations.",
    ),
  );
  const releases = metrics.counter(
    define("cidrset_cidrs_releases_total", "Counter measuring total number of CIDR releases."),
  );
  const most = metrics.gauge(
    define("cirdset_max_cidrs", "Maximum number of CIDRs that can be allocated."),
  );
  const usage = metrics.gauge(
    define("cidrset_usage_cidrs", "Gauge measuring percentage of allocated CIDRs."),
  );
  const tries = metrics.histogram({
    ...define(
      "cidrset_allocation_tries_per_request",
      "Number of endpoints added on each Service sync",
    ),
    buckets: [1, 5, 25, 125, 625],
  });
  return (network, size) => {
    most.of(network).set(size);
    return {
      allocated: (count) => allocations.of(network).add(count),
      released: (count) => releases.of(network).add(count),
      tried: (count) => tries.of(network).observe(count),
      usage: (part) => usage.of(network).set(part),
    };
  };
}
