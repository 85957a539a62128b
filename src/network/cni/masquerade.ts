import { formatCidr, masked, parseCidr } from "../../schema/values/ip.ts";
import {
  addElement,
  type NftElement,
  ownerOf,
  readElements,
  removeElements,
  removeStale,
  runNft,
} from "./nft-table.ts";
import type { PluginCall, ValidAttachment } from "./plugin.ts";

const table = "inet wherry-cni-masquerade";

/** Has packets of a pod leave its networks with the address of the node. */
export async function masquerade(call: PluginCall, addresses: readonly string[]): Promise<void> {
  const elements = addresses.flatMap((text) => elementsOf(text, ownerOfCall(call)));
  const keys = new Set(elements.map(({ of, key }) => `${of} ${key}`));
  // Those of a pod that had the address before.
  await removeElements(table, ({ of, key }) => keys.has(`${of} ${key}`));
  await runNft([...chains, ...elements.map((one) => addElement(table, one))]);
}

/** Takes back what `masquerade` did, as far as it is there. */
export async function endMasquerade(call: PluginCall): Promise<void> {
  await removeElements(table, ({ owner }) => owner === ownerOfCall(call));
}

/** Whether the rules of all addresses are there. */
export async function isMasqueraded(
  call: PluginCall,
  addresses: readonly string[],
): Promise<boolean> {
  const owner = ownerOfCall(call);
  const present = new Set(
    (await readElements(table))
      .filter((one) => one.owner === owner)
      .map(({ of, key }) => `${of} ${key}`),
  );
  return addresses
    .flatMap((text) => elementsOf(text, owner))
    .every(({ of, key }) => present.has(`${of} ${key}`));
}

/** Takes back the rules of a network's pods that are gone. */
export const endStaleMasquerades = (
  network: string,
  valid: readonly ValidAttachment[],
): Promise<void> => removeStale(table, network, valid);

const ownerOfCall = ({ config: { name }, containerId, ifName }: PluginCall): string =>
  ownerOf(name, containerId, ifName);

function elementsOf(text: string, owner: string): readonly NftElement[] {
  const cidr = parseCidr(text);
  if (!cidr) return [];
  const family = cidr.ip.version;
  const address = text.split("/", 1)[0] ?? "";
  return [
    { of: `pods${family}`, key: address, owner },
    { of: `inside${family}`, key: `${address} . ${formatCidr(masked(cidr))}`, owner },
  ];
}

const multicast = { 4: "224.0.0.0/4", 6: "ff00::/8" } as const;

const chains: readonly string[] = [
  `add table ${table}`,
  ...([4, 6] as const).flatMap((family) => [
    `add set ${table} pods${family} { type ipv${family}_addr; }`,
    `add set ${table} inside${family} { type ipv${family}_addr . ipv${family}_addr; flags interval; }`,
  ]),
  `add chain ${table} leaving { type nat hook postrouting priority srcnat; policy accept; }`,
  `flush chain ${table} leaving`,
  ...([4, 6] as const).map((family) => {
    const ip = family === 4 ? "ip" : "ip6";
    return `add rule ${table} leaving ${ip} saddr @pods${family} ${ip} saddr . ${ip} daddr != @inside${family} ${ip} daddr != ${multicast[family]} masquerade`;
  }),
];
