import { isIPv6 } from "node:net";
import { runNft } from "../../run-nft.ts";

const table = "wherry-dns";

/**
 * The rules by which queries of the node's pods reach the node's own DNS: connections that are not tracked are not
 * translated, so a proxy does not send them to another node. For UDP that holds only while a socket is open: if the
 * agent is away, the proxy's rules apply, and another node answers. For TCP it always holds: the kernel finds no whole
 * socket for the packet that completes a connection, which would be translated alone.
 */
export function untrackedRules(addresses: readonly string[], port: number): string {
  const lines = addresses.flatMap((address) => {
    const family = isIPv6(address) ? "ip6" : "ip";
    return ["udp", "tcp"].map((protocol) => ({
      arriving: `${family} daddr ${address} ${protocol} dport ${port} ${protocol === "udp" ? "socket wildcard 0 " : ""}notrack`,
      // What this machine itself asks, and what it responds.
      leaving: [
        `${family} daddr ${address} ${protocol} dport ${port} notrack`,
        `${family} saddr ${address} ${protocol} sport ${port} notrack`,
      ],
    }));
  });
  const indented = (rules: readonly string[]): string =>
    rules.map((rule) => `    ${rule}\n`).join("");
  return `add table inet ${table}
delete table inet ${table}
table inet ${table} {
  chain prerouting {
    type filter hook prerouting priority raw; policy accept;
${indented(lines.map(({ arriving }) => arriving))}  }
  chain output {
    type filter hook output priority raw; policy accept;
${indented(lines.flatMap(({ leaving }) => leaving))}  }
}
`;
}

/** Programs the rules, in place of those of an earlier agent. */
export async function ensureUntracked(addresses: readonly string[], port: number): Promise<void> {
  await runNft(untrackedRules(addresses, port));
}

/** Removes the rules. */
export async function removeUntracked(): Promise<void> {
  await runNft(`add table inet ${table}\ndelete table inet ${table}\n`);
}
