import { dirname, join } from "node:path";
import { errorMessage } from "../base/error-message.ts";
import type { Log } from "../base/log.ts";
import { removeOwnAddresses } from "./dns/serve/own-addresses.ts";
import { removeUntracked } from "./dns/serve/untracked-rules.ts";
import { restoreSettings } from "./kernel-settings.ts";
import { removePodRules } from "./pods/pod-rules.ts";
import { routedNetwork } from "./pods/routed-network.ts";
import { removePolicyTables } from "./policies/nft.ts";
import { conntrackRecord } from "./proxy/conntrack-settings.ts";
import { removeServiceProxy } from "./proxy/kernel.ts";
import { removeRoutes } from "./routes/open-routes.ts";

export interface RemoveNodeNetworkOptions {
  /** The folder of the addresses of pods, beside which the former settings of the machine are recorded. */
  readonly addresses: string;
  readonly log: Log;
}

/**
 * Removes all that the parts of a node's network have made in this network namespace, for a machine that is a node no
 * longer and has no more pods. Resolves with what could not be removed; the rest is.
 */
export async function removeNodeNetwork({
  addresses,
  log,
}: RemoveNodeNetworkOptions): Promise<readonly string[]> {
  const dataDir = dirname(addresses);
  const removals: Readonly<Record<string, () => Promise<void>>> = {
    "rules of services": () => removeServiceProxy(),
    "rules of network policies": () => removePolicyTables(),
    "rules of DNS": removeUntracked,
    "addresses of DNS": removeOwnAddresses,
    "routes to other nodes": removeRoutes,
    // Without pods, all interfaces and addresses of this network are left over.
    "interfaces of pods": async () => routedNetwork({ folder: addresses, log }).takeOver?.([], []),
    "rules of pods": removePodRules,
    "settings of the kernel": () => restoreSettings(join(dataDir, "network-settings.json")),
    "settings of connection tracking": () => restoreSettings(conntrackRecord(dataDir)),
  };
  const problems: string[] = [];
  for (const [what, remove] of Object.entries(removals))
    await remove().catch((error: unknown) => {
      problems.push(`${what}: ${errorMessage(error)}`);
    });
  return problems;
}
