import { addElement, deleteElement, type NftElement } from "../nft-table.ts";

/** A port of the node that leads to a pod. */
export interface MappedPort {
  readonly protocol: string;
  readonly hostPort: number;
  readonly containerPort: number;
  /** Absent for all addresses of the node. */
  readonly hostIp?: string | undefined;
}

/** An address of a pod, with its network. */
export interface PodAddress {
  readonly address: string;
  /** From these addresses the pod would reply directly, and not through the node. */
  readonly network: string;
}

export const portmapTable = "inet wherry-cni-portmap";

/** The table with its chains, which may be there already: elements stay. */
export const portmapChains: readonly string[] = [
  `add table ${portmapTable}`,
  ...[4, 6].flatMap((family) => [
    map(
      `at${family}`,
      `ipv${family}_addr . inet_proto . inet_service : ipv${family}_addr . inet_service`,
    ),
    map(`any${family}`, `inet_proto . inet_service : ipv${family}_addr . inet_service`),
    `add set ${portmapTable} own${family} { type ipv${family}_addr . ipv${family}_addr; flags interval; }`,
    `add set ${portmapTable} pods${family} { type ipv${family}_addr; }`,
  ]),
  ...chain("ports", undefined, [
    "meta nfproto ipv4 dnat ip to ip daddr . meta l4proto . th dport map @at4",
    "meta nfproto ipv4 dnat ip to meta l4proto . th dport map @any4",
    "meta nfproto ipv6 dnat ip6 to ip6 daddr . meta l4proto . th dport map @at6",
    // The kernel would send them from ::1, which no pod can reply to.
    "meta nfproto ipv6 ip6 daddr != ::1 dnat ip6 to meta l4proto . th dport map @any6",
  ]),
  ...chain("arriving", "type nat hook prerouting priority dstnat", [
    "fib daddr type local jump ports",
  ]),
  ...chain("own", "type nat hook output priority -100", ["fib daddr type local jump ports"]),
  ...chain("replied", "type nat hook postrouting priority srcnat", [
    // The reply has to come back through the node.
    "ct status dnat ip saddr . ip daddr @own4 masquerade",
    "ct status dnat ip6 saddr . ip6 daddr @own6 masquerade",
    "ct status dnat ip saddr 127.0.0.0/8 ip daddr @pods4 masquerade",
  ]),
  ...chain("loopback", "type filter hook prerouting priority raw", [
    // Interfaces with route_localnet could pass them on to the loopback of the node.
    'iifname != "lo" ip daddr 127.0.0.0/8 drop',
  ]),
];

/** The elements of a pod's ports. */
export function portElements(
  ports: readonly MappedPort[],
  {
    addresses,
    owner,
    masquerades,
  }: {
    readonly addresses: readonly PodAddress[];
    readonly owner: string;
    readonly masquerades: boolean;
  },
): readonly NftElement[] {
  return addresses.flatMap(({ address, network }): NftElement[] => {
    const family = address.includes(":") ? 6 : 4;
    const entries = ports.flatMap(({ protocol, hostPort, containerPort, hostIp }): NftElement[] => {
      if (hostIp !== undefined && hostIp.includes(":") !== (family === 6)) return [];
      const isAny = hostIp === undefined || /^[0:.]*$/.test(hostIp);
      const port = `${protocol} . ${hostPort}`;
      const value = `${address} . ${containerPort}`;
      return [
        {
          of: `${isAny ? "any" : "at"}${family}`,
          key: isAny ? port : `${hostIp} . ${port}`,
          value,
          owner,
        },
      ];
    });
    if (entries.length === 0 || !masquerades) return entries;
    return [
      ...entries,
      { of: `own${family}`, key: `${network} . ${address}`, owner },
      { of: `pods${family}`, key: address, owner },
    ];
  });
}

/** Adds elements in place of what is there with the same keys: a pod that had a port before has ended. */
export const replaceElements = (
  elements: readonly NftElement[],
  present: readonly NftElement[],
): readonly string[] => {
  const keys = new Set(elements.map(({ of, key }) => `${of} ${key}`));
  return [
    ...present
      .filter(({ of, key }) => keys.has(`${of} ${key}`))
      .map((one) => deleteElement(portmapTable, one)),
    ...elements.map((one) => addElement(portmapTable, one)),
  ];
};

function map(name: string, type: string): string {
  return `add map ${portmapTable} ${name} { type ${type}; }`;
}

/** A chain with these rules in place of those that it has. */
function chain(
  name: string,
  hook: string | undefined,
  rules: readonly string[],
): readonly string[] {
  return [
    `add chain ${portmapTable} ${name}${hook === undefined ? "" : ` { ${hook}; policy accept; }`}`,
    `flush chain ${portmapTable} ${name}`,
    ...rules.map((rule) => `add rule ${portmapTable} ${name} ${rule}`),
  ];
}
