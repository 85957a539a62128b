import { mustRun, runChild } from "../../platform/run-child.ts";
import { runNft } from "../run-nft.ts";
import type { Family } from "./elements.ts";
import { proxyTable } from "./proxy-table.ts";
import { removalInput } from "./proxy-transaction.ts";
import { deletions, type Flow, parseFlows } from "./stale-flows.ts";
import { parseStickyClients, type StickyClient } from "./sticky-clients.ts";
import { parseStickySets, type StickyMember } from "./sticky-sets.ts";

/** What a service proxy uses of the kernel of its network namespace. */
export interface ProxyKernel {
  /** Applies an input of nft as one transaction. */
  program(input: string): Promise<void>;
  /** The clients that stay with an endpoint; none without the table. */
  stickyClients(family: Family): Promise<readonly StickyClient[]>;
  /** The clients of IPv6 that stay with an endpoint; none without the table. */
  stickyMembers(): Promise<readonly StickyMember[]>;
  /** The tracked flows of UDP. */
  udpFlows(family: Family): Promise<readonly Flow[]>;
  deleteFlows(family: Family, flows: readonly Flow[]): Promise<void>;
}

/** The kernel, by programs that run in the network namespace of this process or, with a prefix, in another one. */
export function proxyKernel(prefix: readonly string[] = []): ProxyKernel {
  const command = (program: string, args: readonly string[]) => {
    const [first = "", ...others] = [...prefix, program, ...args];
    return [first, others] as const;
  };
  return {
    program: (input) => runNft(input, prefix),
    async stickyClients(family) {
      const list = ["-j", "list", "map", family, proxyTable, "sticky-clients"];
      const { code, stdout } = await runChild(...command("nft", list), { mostBytes });
      return code === 0 ? parseStickyClients(stdout, family) : [];
    },
    async stickyMembers() {
      const list = ["-j", "list", "sets", "ip6"];
      const { code, stdout } = await runChild(...command("nft", list), { mostBytes });
      return code === 0 ? parseStickySets(stdout) : [];
    },
    async udpFlows(family) {
      const args = ["-L", "-p", "udp", "-f", family === "ip" ? "ipv4" : "ipv6"];
      return parseFlows(await mustRun(...command("conntrack", args), { mostBytes }));
    },
    async deleteFlows(family, flows) {
      // That flows have ended meanwhile is no fault.
      for (const args of deletions(flows))
        await runChild(...command("conntrack", [...args, "-f", family === "ip" ? "ipv4" : "ipv6"]));
    },
  };
}

/** What millions of clients and flows take. */
const mostBytes = 1 << 29;

/** Removes all that a service proxy has programmed, and nothing else. */
export const removeServiceProxy = (kernel: ProxyKernel = proxyKernel()): Promise<void> =>
  kernel.program(removalInput());
