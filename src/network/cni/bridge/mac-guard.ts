import { addElement, ownerOf, removeElements, removeStale, runNft } from "../nft-table.ts";
import type { PluginCall, ValidAttachment } from "../plugin.ts";

const table = "bridge wherry-cni-mac";

/** Drops what a pod sends from another hardware address than its own. */
export async function guardMac(call: PluginCall, link: string, mac: string): Promise<void> {
  const owner = ownerOfCall(call);
  await runNft([
    `add table ${table}`,
    `add set ${table} guarded { type ifname; }`,
    `add set ${table} own { type ifname . ether_addr; }`,
    `add chain ${table} arriving { type filter hook prerouting priority -300; policy accept; }`,
    `flush chain ${table} arriving`,
    `add rule ${table} arriving iifname @guarded iifname . ether saddr != @own drop`,
    addElement(table, { of: "guarded", key: `"${link}"`, owner }),
    addElement(table, { of: "own", key: `"${link}" . ${mac}`, owner }),
  ]);
}

export async function endMacGuard(call: PluginCall): Promise<void> {
  const owner = ownerOfCall(call);
  await removeElements(table, (element) => element.owner === owner);
}

export const endStaleMacGuards = (
  network: string,
  valid: readonly ValidAttachment[],
): Promise<void> => removeStale(table, network, valid);

const ownerOfCall = ({ config: { name }, containerId, ifName }: PluginCall): string =>
  ownerOf(name, containerId, ifName);
