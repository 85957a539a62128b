import { isIPv4 } from "node:net";
import { parsePort } from "./port-requests.ts";

/** What the packet filter must do for a network. */
export interface NetworkRules {
  readonly interface: string;
  readonly subnet: string;
  readonly isInternal: boolean;
  readonly endpoints: readonly EndpointRules[];
}

export interface EndpointRules {
  readonly address: string;
  readonly ports: Readonly<
    Record<string, readonly { readonly hostIp: string; readonly hostPort: number }[]>
  >;
}

/**
 * The table of the packet filter for these networks, as input of `nft -f`: the old one is replaced at once.
 * Published ports are forwarded, other traffic is masqueraded, and networks do not reach each other.
 */
export function networkRules(table: string, networks: readonly NetworkRules[]): string {
  const ports = networks.flatMap(({ endpoints }) => endpoints.flatMap(portLines));
  const nat = networks.flatMap(masqueradeLines);
  const isolation = networks.flatMap((network) => isolationLines(network, networks));
  return [
    `table inet ${table}`,
    `delete table inet ${table}`,
    `table inet ${table} {`,
    // Loopback addresses can be routed for the host's own connections to published ports, and for nobody else.
    ...chain("loopback", [
      "type filter hook prerouting priority raw; policy accept;",
      ...networks.map(({ interface: name }) => `iifname "${name}" ip daddr 127.0.0.0/8 drop`),
    ]),
    ...chain("ports", ports),
    ...chain("prerouting", [
      "type nat hook prerouting priority dstnat; policy accept;",
      "fib daddr type local jump ports",
    ]),
    ...chain("output", [
      "type nat hook output priority -100; policy accept;",
      "fib daddr type local jump ports",
    ]),
    ...chain("postrouting", ["type nat hook postrouting priority srcnat; policy accept;", ...nat]),
    ...chain("forward", ["type filter hook forward priority filter; policy accept;", ...isolation]),
    "}",
    "",
  ].join("\n");
}

function portLines({ address, ports }: EndpointRules): readonly string[] {
  return Object.entries(ports).flatMap(([key, published]) => {
    const { port, protocol } = parsePort(key);
    return published.flatMap(({ hostIp, hostPort }) => {
      const isAny = hostIp === "" || hostIp === "0.0.0.0" || hostIp === "::";
      if (!isAny && !isIPv4(hostIp)) return [];
      const to = isAny ? "meta nfproto ipv4" : `ip daddr ${hostIp}`;
      return [`${to} ${protocol} dport ${hostPort} dnat ip to ${address}:${port}`];
    });
  });
}

function masqueradeLines({
  interface: name,
  subnet,
  isInternal,
  endpoints,
}: NetworkRules): string[] {
  return [
    ...(isInternal ? [] : [`ip saddr ${subnet} oifname != "${name}" masquerade`]),
    `ip saddr 127.0.0.0/8 oifname "${name}" masquerade`,
    // A container that reaches itself by a published port must not see its own address as the sender.
    ...endpoints
      .filter(({ ports }) => Object.keys(ports).length > 0)
      .map(({ address }) => `ip saddr ${address} ip daddr ${address} masquerade`),
  ];
}

function isolationLines(network: NetworkRules, all: readonly NetworkRules[]): string[] {
  const { interface: name, isInternal } = network;
  const others = all.filter((other) => other !== network);
  return [
    ...(isInternal
      ? [
          `iifname "${name}" oifname != "${name}" drop`,
          `iifname != "${name}" oifname "${name}" drop`,
        ]
      : []),
    ...others.map(
      (other) => `iifname "${name}" oifname "${other.interface}" ct status != dnat drop`,
    ),
  ];
}

const chain = (name: string, lines: readonly string[]): readonly string[] => [
  `  chain ${name} {`,
  ...lines.map((line) => `    ${line}`),
  "  }",
];
