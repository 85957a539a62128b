import type { PortMapping } from "../../cri/linux-types.ts";
import { parseIp } from "../../schema/values/ip.ts";
import { isIpv6, podLinkGroup } from "./pod-link.ts";

/** A pod with ports of its node. */
export interface MappedPod {
  readonly addresses: readonly string[];
  readonly mappings: readonly PortMapping[];
}

export const hostPortTable = "wherry-hostports";

/** An entry of a map: a port of the node, at one address or at all of them, and where packets to it go. */
interface PortEntry {
  readonly version: 4 | 6;
  /** Absent for all addresses. */
  readonly hostIp?: string | undefined;
  readonly port: string;
  readonly target: string;
}

/** What is in the maps for these pods: where two want one port, the pod that was there first has it. */
export function portEntries(pods: readonly MappedPod[]): readonly PortEntry[] {
  const entries = new Map<string, PortEntry>();
  for (const { addresses, mappings } of pods)
    for (const entry of mappings.flatMap((mapping) => entriesOf(mapping, addresses))) {
      const key = `${entry.version} ${entry.hostIp ?? ""} ${entry.port}`;
      if (!entries.has(key)) entries.set(key, entry);
    }
  return [...entries.values()];
}

function entriesOf(
  { protocol, containerPort, hostPort, hostIp }: PortMapping,
  addresses: readonly string[],
): readonly PortEntry[] {
  const at = parseIp(hostIp);
  // Packets to the loopback of IPv6 cannot leave the node.
  if (hostPort <= 0 || (at?.version === 6 && at.bits === 1n)) return [];
  const port = `${protocol.toLowerCase()} . ${hostPort}`;
  const own = at && at.bits !== 0n ? { hostIp } : {};
  return addresses
    .map((address) => ({ address, version: isIpv6(address) ? 6 : 4 }) as const)
    .filter(({ version }) => at === undefined || at.version === version)
    .map(({ address, version }) => ({
      version,
      ...own,
      port,
      target: `${address} . ${containerPort}`,
    }));
}

/** The whole table of host ports, as input of `nft -f`, in place of the one before. */
export function hostPortRules(pods: readonly MappedPod[]): string {
  const entries = portEntries(pods);
  const remove = [`table inet ${hostPortTable}`, `delete table inet ${hostPortTable}`];
  if (entries.length === 0) return `${remove.join("\n")}\n`;
  const elements = (version: 4 | 6, isAny: boolean): string =>
    entries
      .filter((one) => one.version === version && (one.hostIp === undefined) === isAny)
      .map(({ hostIp, port, target }) => `${isAny ? "" : `${hostIp} . `}${port} : ${target}`)
      .join(", ");
  const map = (name: string, type: string, content: string): string =>
    `  map ${name} { type ${type}; ${content && `elements = { ${content} }; `}}`;
  const own = (version: 4 | 6): string =>
    [...new Set(entries.filter((one) => one.version === version).map(({ target }) => target))]
      .map((target) => target.split(" ", 1)[0] ?? "")
      .filter((address, i, all) => all.indexOf(address) === i)
      .map((address) => `${address} . ${address}`)
      .join(", ");
  const set = (name: string, type: string, content: string): string =>
    `  set ${name} { type ${type}; ${content && `elements = { ${content} }; `}}`;
  const port = "inet_proto . inet_service";
  const key = "meta l4proto . th dport";
  return [
    ...remove,
    `table inet ${hostPortTable} {`,
    map("at4", `ipv4_addr . ${port} : ipv4_addr . inet_service`, elements(4, false)),
    map("any4", `${port} : ipv4_addr . inet_service`, elements(4, true)),
    map("at6", `ipv6_addr . ${port} : ipv6_addr . inet_service`, elements(6, false)),
    map("any6", `${port} : ipv6_addr . inet_service`, elements(6, true)),
    set("own4", "ipv4_addr . ipv4_addr", own(4)),
    set("own6", "ipv6_addr . ipv6_addr", own(6)),
    "  chain ports {",
    `    meta nfproto ipv4 dnat ip to ip daddr . ${key} map @at4`,
    `    meta nfproto ipv4 dnat ip to ${key} map @any4`,
    `    meta nfproto ipv6 dnat ip6 to ip6 daddr . ${key} map @at6`,
    // The kernel would send them from ::1, which no pod can reply to.
    `    meta nfproto ipv6 ip6 daddr != ::1 dnat ip6 to ${key} map @any6`,
    "  }",
    "  chain arriving {",
    "    type nat hook prerouting priority dstnat; policy accept;",
    "    fib daddr type local jump ports",
    "  }",
    "  chain own {",
    "    type nat hook output priority -100; policy accept;",
    "    fib daddr type local jump ports",
    "  }",
    "  chain replied {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    // A pod cannot reply to itself, nor to the loopback of its node.
    `    oifgroup ${podLinkGroup} ip saddr . ip daddr @own4 masquerade`,
    `    oifgroup ${podLinkGroup} ip6 saddr . ip6 daddr @own6 masquerade`,
    `    oifgroup ${podLinkGroup} ip saddr 127.0.0.0/8 masquerade`,
    "  }",
    "  chain loopback {",
    "    type filter hook prerouting priority raw; policy accept;",
    // Links of these pods could pass them on to the loopback of the node.
    `    iifgroup ${podLinkGroup} ip daddr 127.0.0.0/8 drop`,
    `    iifgroup ${podLinkGroup} ip saddr 127.0.0.0/8 drop`,
    "  }",
    "}",
    "",
  ].join("\n");
}
