import type { ClusterIps } from "./cluster-ips.ts";
import { ipOf } from "./cluster-ips.ts";
import type { NodePorts } from "./node-port-allocator.ts";
import type { ServiceClaim } from "./service-claim.ts";
import type { ServiceRanges } from "./service-ranges.ts";

export interface DryRunOptions {
  readonly clusterIps: ClusterIps;
  readonly ranges: ServiceRanges;
  readonly nodePorts: NodePorts;
}

/** A port beyond the range of node ports. */
const firstUnreal = 32769;

/** A claim that allocates nothing, and returns examples of addresses and ports. */
export function dryRunClaim({ clusterIps, ranges, nodePorts }: DryRunOptions): ServiceClaim {
  const ports: number[] = [];
  return {
    addresses: {
      ask(address) {
        const ip = ipOf(address);
        if (ip && clusterIps.rangeOf(ip)) return undefined;
        const [range] = ranges.ready(address.includes(":") ? "IPv6" : "IPv4");
        if (!range) return "allocator not ready";
        return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.cidr}`;
      },
      // The address of the network itself, which no service has.
      next: (family) => ranges.ready(family)[0]?.cidr.split("/")[0],
      giveUp: () => {},
    },
    ports: {
      ask(port) {
        if (nodePorts.has(port) || ports.includes(port))
          return "provided port is already allocated";
        ports.push(port);
        return undefined;
      },
      next() {
        const port = ports.length === 0 ? firstUnreal : Math.max(...ports) + 1;
        ports.push(port);
        return port;
      },
      giveUp: () => {},
    },
    part: undefined,
    end: () => {},
  };
}
