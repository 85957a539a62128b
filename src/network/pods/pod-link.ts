import { parseIp } from "../../schema/values/ip.ts";

/** The group of all interfaces that connect pods, by which rules and later processes recognize them. */
export const podLinkGroup = 87;

/** The number by which routes to pods of this node are recognized as ours. */
const podRouteProtocol = 87;

/** How a pod is connected. */
export interface PodLink {
  readonly sandboxId: string;
  /** The file of its network namespace. */
  readonly namespace: string;
  readonly addresses: readonly string[];
  readonly mtu: number;
  /** The network that it belongs to, as other ones may be in the same namespace. */
  readonly owner: string;
}

/** The name of the node's end of a pod's pair of interfaces. */
export const linkName = (sandboxId: string): string => `veth${sandboxId.slice(0, 11)}`;

/** The name of the interface through which packets from a pod pass if their rate is limited. */
export const limiterName = (sandboxId: string): string => `ifb${sandboxId.slice(0, 11)}`;

/**
 * The commands of `ip` on the node: a pair of interfaces, and a route to each address. The hardware addresses are
 * known, so that neither side asks for them.
 */
export const nodeCommands = (link: PodLink): readonly string[] => {
  const { sandboxId, namespace, mtu, owner } = link;
  const name = linkName(sandboxId);
  return [
    `link add name ${name} mtu ${mtu} group ${podLinkGroup} address ${gatewayMac} type veth peer name eth0 mtu ${mtu} address ${macOf(sandboxId)} netns "${namespace}"`,
    `link set ${name} alias ${owner} up`,
    ...routeCommands(link),
  ];
};

/** The commands of `ip` that route to a pod, which change nothing if that is so already. */
export const routeCommands = ({
  sandboxId,
  addresses,
}: Pick<PodLink, "sandboxId" | "addresses">): readonly string[] =>
  addresses.flatMap((address) => {
    const name = linkName(sandboxId);
    return [
      `neigh replace ${address} lladdr ${macOf(sandboxId)} dev ${name} nud permanent`,
      `route replace ${address}/${isIpv6(address) ? 128 : 32} dev ${name} proto ${podRouteProtocol}`,
    ];
  });

/** The commands of `ip` in the pod: its addresses have no subnet, and all packets go to the node. */
export const podCommands = ({ addresses }: PodLink): readonly string[] => [
  "link set lo up",
  ...addresses.map((address) =>
    isIpv6(address) ? `addr add ${address}/128 dev eth0 nodad` : `addr add ${address}/32 dev eth0`,
  ),
  "link set eth0 up",
  ...addresses.flatMap((address) => {
    const gateway = isIpv6(address) ? "fe80::1" : "169.254.1.1";
    return [
      `neigh replace ${gateway} lladdr ${gatewayMac} dev eth0 nud permanent`,
      ...(isIpv6(address) ? [] : [`route replace ${gateway} dev eth0 scope link`]),
      `route replace default via ${gateway} dev eth0`,
    ];
  }),
];

export const isIpv6 = (address: string): boolean => parseIp(address)?.version === 6;

/** The same for all pods, as each has a link of its own. */
const gatewayMac = "ee:ee:ee:ee:ee:ee";

/** A hardware address that follows from the sandbox, so that it is known without asking. */
const macOf = (sandboxId: string): string =>
  ["0a", "58", ...[0, 2, 4, 6].map((at) => sandboxId.slice(at, at + 2))].join(":");
