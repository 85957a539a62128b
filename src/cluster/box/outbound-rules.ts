import type { ClusterRanges } from "./choose-ranges.ts";
import { ipv6Ranges } from "./ipv6-ranges.ts";

/** The rules by which nodes and pods reach the outside with the machine's address, as input of `nft -f`. */
export const outboundRules = (table: string, { nodes, pods, ipv6 }: OwnRanges): string =>
  [
    ...familyRules("ip", table, [nodes, pods]),
    ...(ipv6 === undefined
      ? []
      : familyRules("ip6", table, [ipv6Ranges(ipv6).nodes, ipv6Ranges(ipv6).pods])),
    "",
  ].join("\n");

function familyRules(
  family: "ip" | "ip6",
  table: string,
  ranges: readonly string[],
): readonly string[] {
  const own = `{ ${ranges.join(", ")} }`;
  return [
    `table ${family} ${table}`,
    `delete table ${family} ${table}`,
    `table ${family} ${table} {`,
    "  chain outbound {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    `    ${family} saddr ${own} ${family} daddr != ${own} oifname != "wh*" masquerade`,
    "  }",
    "}",
  ];
}

/** The ranges of nodes and pods, of each family. */
export const ownRanges = ({ nodes, pods, ipv6 }: OwnRanges): readonly string[] => [
  ...[nodes, pods],
  ...(ipv6 === undefined ? [] : [ipv6Ranges(ipv6).nodes, ipv6Ranges(ipv6).pods]),
];

export type OwnRanges = Pick<ClusterRanges, "nodes" | "pods" | "ipv6">;

/** The start of the names of the tables that `outboundRules` makes. */
export const tablePrefix = "wherry-nodes-";

/** A chain in the output of `nft -j list chains`. */
interface Chain {
  readonly table: string;
  readonly name: string;
  readonly type?: string;
  readonly hook?: string;
  readonly policy?: string;
}

/** The chains of others that see packets, in the output of `nft -j list chains`. */
function foreignChains(chains: string): readonly Chain[] {
  const { nftables = [] } = JSON.parse(chains || "{}") as {
    readonly nftables?: readonly { readonly chain?: Chain }[];
  };
  return nftables.flatMap(({ chain }) =>
    chain?.hook !== undefined && !chain.table.startsWith(tablePrefix) ? [chain] : [],
  );
}

/** Whether others have rules for forwarded packets: then the machine must go on to forward. */
export const othersForward = (chains: string): boolean =>
  foreignChains(chains).some(
    ({ hook, type }) => hook === "forward" || (hook === "postrouting" && type === "nat"),
  );

/** What the machine's firewall may keep from nodes, and how to allow it. */
export function firewallWarnings(chains: string): readonly string[] {
  const drops = (hook: string): boolean =>
    foreignChains(chains).some((chain) => chain.hook === hook && chain.policy === "drop");
  return [
    ...(drops("forward")
      ? [
          "the firewall of this machine drops forwarded packets: if pods of different nodes do not reach each other, allow it, on machines with Docker by: iptables -I DOCKER-USER -i wh+ -j ACCEPT; iptables -I DOCKER-USER -o wh+ -j ACCEPT",
        ]
      : []),
    ...(drops("input")
      ? [
          "the firewall of this machine drops packets to it: if nodes do not reach the API server, allow it, for example by: iptables -I INPUT -i wh+ -j ACCEPT",
        ]
      : []),
  ];
}
