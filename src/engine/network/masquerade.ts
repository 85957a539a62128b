import { runChild } from "../../platform/run-child.ts";
import { formatSubnet, type Subnet } from "./ipv4.ts";

/** The rules by which pods behind a bridge reach the outside with the machine's address, as input of `nft -f`. */
export const masqueradeRules = (bridge: string, subnet: Subnet): string =>
  [
    `table ip ${tableOf(bridge)}`,
    `delete table ip ${tableOf(bridge)}`,
    `table ip ${tableOf(bridge)} {`,
    "  chain outbound {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    `    ip saddr ${formatSubnet(subnet)} oifname != "${bridge}" masquerade`,
    "  }",
    "}",
    "",
  ].join("\n");

/** Sets these rules. Resolves with why that failed: pods run without them, but reach only this machine. */
export async function masquerade(bridge: string, subnet: Subnet): Promise<string | undefined> {
  const { code, stderr } = await runChild("nft", ["-f", "-"], {
    input: masqueradeRules(bridge, subnet),
  }).catch((error: Error) => ({ code: 127, stderr: error.message }));
  return code === 0 ? undefined : (stderr.trim().split("\n").at(-1) ?? "");
}

const tableOf = (bridge: string): string => `wherry-pods-${bridge}`;
