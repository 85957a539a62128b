import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { Metrics } from "../../base/metrics.ts";
import { parseIp } from "../../schema/values/ip.ts";
import type { ResourceCache } from "../watch/watch-cache.ts";
import { gives } from "./address-range.ts";
import { allocatorName, managedBy } from "./ip-address-maker.ts";
import type { NodePorts } from "./node-port-allocator.ts";
import type { ServiceRanges } from "./service-ranges.ts";

export interface AllocationSources {
  /** All IPAddresses. */
  readonly addresses: () => ResourceCache;
  readonly ranges: ServiceRanges;
  readonly nodePorts: NodePorts;
}

/** The metrics of addresses and ports of services, which are computed from the store when they are read. */
export function readAllocationMetrics(metrics: Metrics, sources: AllocationSources): void {
  const { ranges, nodePorts } = sources;
  const takenIps = metrics.gauge(allocatedIps);
  const freeIps = metrics.gauge(availableIps);
  const takenPorts = metrics.gauge(allocatedPorts).of();
  const freePorts = metrics.gauge(availablePorts).of();
  metrics.onRead(() => {
    const { taken, free } = nodePorts.usage();
    takenPorts.set(taken);
    freePorts.set(free);
    const given = givenAddresses(sources.addresses());
    // A range that was deleted is no longer shown.
    for (const family of [takenIps, freeIps]) family.reset();
    for (const range of [...ranges.ready("IPv4"), ...ranges.ready("IPv6")]) {
      const used = given.filter((ip) => gives(range, ip)).length;
      takenIps.of(range.cidr).set(used);
      freeIps.of(range.cidr).set(Math.max(0, Number(range.last - range.first + 1n) - used));
    }
  });
}

/** Counts rounds of repair that failed. */
export const repairErrors = (metrics: Metrics, what: "clusterip" | "nodeport") =>
  metrics
    .counter({
      name: `apiserver_${what}_repair_reconcile_errors_total`,
      help: "Rounds of comparing services with what they were given that failed.",
      stability: "ALPHA",
    })
    .of();

/** The addresses that were allocated to services, without those that other clients created. */
function givenAddresses(cache: ResourceCache) {
  const ips = Array.from(cache.readable(cache.prefix), ({ object }) => {
    const { metadata } = object as unknown as IPAddress;
    return metadata.labels?.[managedBy] === allocatorName
      ? parseIp(metadata.name ?? "")
      : undefined;
  });
  return ips.filter((ip) => ip !== undefined);
}

const stability = "ALPHA";

const allocatedIps = {
  name: "kube_apiserver_clusterip_allocator_allocated_ips",
  help: "Addresses that services have, by range.",
  stability,
  labels: ["cidr"],
} as const;

const availableIps = {
  name: "kube_apiserver_clusterip_allocator_available_ips",
  help: "Addresses that services can still get, by range.",
  stability,
  labels: ["cidr"],
} as const;

const allocatedPorts = {
  name: "kube_apiserver_nodeport_allocator_allocated_ports",
  help: "Ports on nodes that services have.",
  stability,
} as const;

const availablePorts = {
  name: "kube_apiserver_nodeport_allocator_available_ports",
  help: "Ports on nodes that services can still get.",
  stability,
} as const;
