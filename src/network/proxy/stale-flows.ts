import { type IpFamily, isInside } from "../services/ip-family.ts";
import type { ProxiedEndpoint } from "../services/proxied-endpoints.ts";
import type { ProxiedService } from "../services/proxied-service.ts";

/** A flow of UDP that the kernel tracks: where it went to, and from where responses come. */
export interface Flow {
  readonly source: string;
  readonly sourcePort: string;
  readonly destination: string;
  readonly destinationPort: string;
  readonly replySource: string;
  readonly replySourcePort: string;
  readonly replyDestination: string;
  readonly replyDestinationPort: string;
}

/** Reads the output of `conntrack -L`. */
export const parseFlows = (output: string): readonly Flow[] =>
  output.split("\n").flatMap((line) => {
    const [source, replySource] = values(line, "src");
    const [destination, replyDestination] = values(line, "dst");
    const [sourcePort, replySourcePort] = values(line, "sport");
    const [destinationPort, replyDestinationPort] = values(line, "dport");
    if (!source || !destination || !sourcePort || !destinationPort) return [];
    if (!replySource || !replyDestination || !replySourcePort || !replyDestinationPort) return [];
    return [
      {
        ...{ source, sourcePort, destination, destinationPort },
        ...{ replySource, replySourcePort, replyDestination, replyDestinationPort },
      },
    ];
  });

const values = (line: string, name: string): readonly string[] =>
  [...line.matchAll(new RegExp(`\\b${name}=(\\S+)`, "g"))].map(([, value = ""]) => value);

/** Where flows of UDP to services may go: the serving endpoints by the addresses and ports of services. */
export type UdpTargets = ReadonlyMap<string, ReadonlySet<string>>;

/** The targets of one family; those of node ports have all addresses of the machine. */
export function udpTargets(
  services: Iterable<ProxiedService>,
  family: IpFamily,
  machineIPs: readonly string[],
): UdpTargets {
  const targets = new Map<string, ReadonlySet<string>>();
  for (const { ports } of services)
    for (const [port, endpoints] of ports) {
      if (port.protocol !== "UDP" || port.family !== family) continue;
      const serving = servingOf(endpoints);
      const inner = port.isInternalLocal
        ? servingOf(endpoints.filter(({ isLocal }) => isLocal))
        : serving;
      targets.set(`${port.clusterIP} ${port.port}`, inner);
      for (const address of [...port.externalIPs, ...port.loadBalancerIPs])
        targets.set(`${address} ${port.port}`, serving);
      if (port.nodePort !== 0)
        for (const address of machineIPs) targets.set(`${address} ${port.nodePort}`, serving);
    }
  return targets;
}

const servingOf = (endpoints: readonly ProxiedEndpoint[]): ReadonlySet<string> =>
  new Set(endpoints.flatMap((one) => (one.isServing ? [`${one.address} ${one.port}`] : [])));

/**
 * The flows to services that go where none of their endpoints serves. In the ranges of services, those to services that
 * are gone are stale, too, if they were translated.
 */
export const staleFlows = (
  flows: readonly Flow[],
  targets: UdpTargets,
  serviceRanges: readonly string[],
): readonly Flow[] =>
  flows.filter(({ destination, destinationPort, replySource, replySourcePort }) => {
    const serving = targets.get(`${destination} ${destinationPort}`);
    if (serving) return !serving.has(`${replySource} ${replySourcePort}`);
    return replySource !== destination && isInside(destination, serviceRanges);
  });

/**
 * The arguments by which `conntrack` deletes flows, each for all clients: whether a flow is stale does not depend on its
 * client, and a service may have thousands.
 */
export const deletions = (flows: readonly Flow[]): readonly (readonly string[])[] => [
  ...new Map(
    flows.map((flow) => {
      const args = [
        ...["-D", "-p", "udp", "-d", flow.destination, "--dport", flow.destinationPort],
        ...["-r", flow.replySource, "--reply-port-src", flow.replySourcePort],
      ];
      return [args.join(" "), args] as const;
    }),
  ).values(),
];
