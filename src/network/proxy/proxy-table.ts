import { type ContainerName, containerNames, type Family } from "./elements.ts";
import { type NftProtocol, protocols } from "./pick-chain.ts";

/** The name of the tables of the service proxy. */
export const proxyTable = "wherry-proxy";

/** What the rules depend on beside services. */
export interface ProxyTableSettings {
  /** The bit of packet marks by which packets get the node's address as their source. */
  readonly masqueradeBit: number;
  /** Whether all that goes to cluster IPs is masqueraded. */
  readonly masqueradesAll: boolean;
  /** How packets of pods are told from others; without it, those to cluster IPs keep their source. */
  readonly localTraffic?: LocalTraffic | undefined;
  /** Whether only the addresses in `node-port-ips` have node ports. */
  readonly choosesNodePortIPs: boolean;
}

/** Packets of pods come from the ranges in `pod-ranges`, or by interfaces with this name or prefix. */
export type LocalTraffic = "pod-ranges" | { readonly interface: string };

/** The table of a family without elements, as input of `nft -f`: it replaces the table that is there. */
export function proxyTableRules(family: Family, settings: ProxyTableSettings): readonly string[] {
  const address = family === "ip" ? "ipv4_addr" : "ipv6_addr";
  const mark = 2 ** settings.masqueradeBit;
  const setMark = `meta mark set meta mark or ${mark}`;
  const from = localMatches(family, settings.localTraffic);
  const service = `${family} daddr . meta l4proto . th dport`;
  const port = "meta l4proto . th dport";
  const isNodePortAddress = settings.choosesNodePortIPs
    ? `${family} daddr @node-port-ips`
    : family === "ip"
      ? "fib daddr type local ip daddr != 127.0.0.0/8"
      : "fib daddr type local ip6 daddr != ::1";
  /** Traffic of this node and its pods goes to any endpoint, as it would by way of a load balancer. */
  const localChain = (key: string, map: string): readonly string[] => [
    ...(from ? [`${from.isLocal} return`] : []),
    `fib saddr type local ${setMark} return`,
    `${key} vmap @${map}`,
    "accept",
  ];
  const offCluster = settings.masqueradesAll
    ? [`${family} daddr @cluster-ips ${setMark}`]
    : from
      ? [`${family} daddr @cluster-ips ${from.isOther} ${setMark}`]
      : [];
  const chains: Readonly<Record<string, readonly string[]>> = {
    refuse: ["reject"],
    "mark-packet": [setMark],
    "local-at-service": localChain(service, "local-service-ips"),
    "local-at-node-port": localChain(port, "local-node-ports"),
    "to-node-port": [`${port} vmap @node-port-policies`, `${port} vmap @node-ports`],
    services: [
      ...offCluster,
      `${service} vmap @service-policies`,
      `${service} vmap @service-ips`,
      `${isNodePortAddress} goto to-node-port`,
    ],
    "nat-prerouting": ["type nat hook prerouting priority -100;", "jump services"],
    "nat-output": ["type nat hook output priority -100;", "jump services"],
    "nat-postrouting": [
      "type nat hook postrouting priority 100;",
      `meta mark & ${mark} != 0 meta mark set meta mark xor ${mark} masquerade fully-random`,
      `ct status dnat ${family} saddr . ${family} daddr . meta l4proto . th dport @hairpins masquerade fully-random`,
    ],
    sources: [
      `${service} @restricted-services ${service} . ${family} saddr != @source-ranges drop`,
    ],
    "sources-prerouting": [
      "type filter hook prerouting priority -110;",
      "ct state new jump sources",
    ],
    "sources-output": ["type filter hook output priority -110;", "ct state new jump sources"],
    "without-endpoints": [`${service} vmap @no-endpoints`],
    "unknown-services": [
      `${family} daddr @cluster-ips reject`,
      `${family} daddr @service-ranges drop`,
    ],
    stay: [
      ...protocols.flatMap((protocol) => [
        `meta l4proto ${protocol} ct original ${family} daddr . meta l4proto . ct original proto-dst vmap @sticky-services`,
        `meta l4proto ${protocol} meta l4proto . ct original proto-dst vmap @sticky-node-ports`,
      ]),
    ],
    "filter-input": [
      "type filter hook input priority 0;",
      "ct state new jump without-endpoints",
      `ct state new ${isNodePortAddress} ${port} vmap @no-endpoint-node-ports`,
      "ct state new ct status dnat jump stay",
    ],
    "filter-forward": [
      "type filter hook forward priority 0;",
      "ct state new jump without-endpoints",
      "ct state new jump unknown-services",
    ],
    "filter-output": [
      "type filter hook output priority 0;",
      "ct state new jump without-endpoints",
      "ct state new jump unknown-services",
    ],
    "stay-postrouting": [
      "type filter hook postrouting priority 90;",
      "ct state new ct status dnat jump stay",
    ],
  };
  return [
    `add table ${family} ${proxyTable}`,
    `delete table ${family} ${proxyTable}`,
    `table ${family} ${proxyTable} {`,
    ...containerNames.map((name) => declaration(name, containers(family, address)[name])),
    `map sticky-clients { type ${address} . ${address} . inet_proto . inet_service : ${address} . inet_service; flags dynamic, timeout; size 1048576; timeout 3h; }`,
    ...Object.entries(chains).flatMap(([name, rules]) => [
      `chain ${name} {`,
      ...rules.map((rule) => `  ${rule}`),
      "}",
    ]),
    "}",
  ];
}

const declaration = (name: ContainerName, type: string): string =>
  `${type.includes(" : ") ? "map" : "set"} ${name} { ${type}; }`;

/** The types of sets and maps. */
function containers(family: Family, address: string): Readonly<Record<ContainerName, string>> {
  const service = `type ${address} . inet_proto . inet_service`;
  const port = "type inet_proto . inet_service";
  const ranges = `type ${address}; flags interval; auto-merge`;
  // Only "typeof" can say the type of these numbers, and it ties a map to the protocol of its ports.
  const number = "numgen random mod 2";
  const endpoints = <By extends "service" | "node-port">(
    key: (protocol: NftProtocol) => string,
    by: By,
  ) =>
    Object.fromEntries(
      protocols.map((protocol) => [
        `${protocol}-${by}-endpoints`,
        `${key(protocol)} : ${family} daddr . ${protocol} dport`,
      ]),
    ) as Record<`${NftProtocol}-${By}-endpoints`, string>;
  return {
    "cluster-ips": `type ${address}`,
    "service-policies": `${service} : verdict`,
    "service-ips": `${service} : verdict`,
    "local-service-ips": `${service} : verdict`,
    ...endpoints((protocol) => `typeof ${number} . ${family} daddr . ${protocol} dport`, "service"),
    "no-endpoints": `${service} : verdict`,
    "node-port-policies": `${port} : verdict`,
    "node-ports": `${port} : verdict`,
    "local-node-ports": `${port} : verdict`,
    ...endpoints((protocol) => `typeof ${number} . ${protocol} dport`, "node-port"),
    "no-endpoint-node-ports": `${port} : verdict`,
    "restricted-services": service,
    "source-ranges": `${service} . ${address}; flags interval`,
    hairpins: `type ${address} . ${address} . inet_proto . inet_service`,
    "sticky-services": `${service} : verdict`,
    "sticky-node-ports": `${port} : verdict`,
    "node-port-ips": `type ${address}`,
    "service-ranges": ranges,
    "pod-ranges": ranges,
  };
}

/** The conditions by which packets of pods are told from others. */
function localMatches(
  family: Family,
  local: LocalTraffic | undefined,
): { readonly isLocal: string; readonly isOther: string } | undefined {
  if (local === undefined) return undefined;
  if (local === "pod-ranges")
    return {
      isLocal: `${family} saddr @pod-ranges`,
      isOther: `${family} saddr != @pod-ranges`,
    };
  const name = `"${local.interface}"`;
  return { isLocal: `iifname ${name}`, isOther: `iifname != ${name}` };
}
