import { CniError } from "../../cri/cni/cni-error.ts";
import { runChild } from "../../platform/run-child.ts";
import type { ValidAttachment } from "./plugin.ts";

/** An element of a set or a map, with the attachment that it belongs to. */
export interface NftElement {
  /** The name of the set or the map. */
  readonly of: string;
  readonly key: string;
  /** What a map leads to. */
  readonly value?: string | undefined;
  readonly owner: string;
}

/** How an element says whose it is: the network, the container and its interface. */
export const ownerOf = (network: string, containerId: string, ifName: string): string =>
  // The kernel keeps 127 bytes; the ID is what makes it unique.
  `${containerId.slice(0, 64)} ${ifName} ${network}`.slice(0, 120);

/** Whether an element belongs to a network. */
function isOfNetwork(owner: string, network: string): boolean {
  const [id = "", ifName = ""] = owner.split(" ");
  return owner === ownerOf(network, id, ifName);
}

/** Runs commands of nft as one transaction. */
export async function runNft(commands: readonly string[]): Promise<void> {
  const { code, stderr } = await nft(["-f", "-"], `${commands.join("\n")}\n`);
  if (code !== 0) throw new CniError("internal", `nft: ${stderr.trim().split("\n")[0] ?? ""}`);
}

/** The elements of a table with an owner; none if there is no such table. */
export async function readElements(table: string): Promise<readonly NftElement[]> {
  const { code, stdout, stderr } = await nft(["-j", "list", "table", ...table.split(" ")]);
  if (code !== 0) {
    if (stderr.includes("No such file or directory")) return [];
    throw new CniError("internal", `nft: ${stderr.trim().split("\n")[0] ?? ""}`);
  }
  const { nftables } = JSON.parse(stdout) as { readonly nftables: readonly Listed[] };
  return nftables.flatMap(({ set, map }) => {
    const { name = "", elem = [] } = set ?? map ?? {};
    return elem.flatMap((row) => {
      const first = map ? (row as readonly unknown[])[0] : row;
      const { elem: own } = (first ?? {}) as { readonly elem?: { val: unknown; comment?: string } };
      if (own?.comment === undefined) return [];
      const value = map ? formatValue((row as readonly unknown[])[1]) : undefined;
      return [{ of: name, key: formatValue(own.val), value, owner: own.comment }];
    });
  });
}

interface Listed {
  readonly set?: { readonly name: string; readonly elem?: readonly unknown[] };
  readonly map?: { readonly name: string; readonly elem?: readonly unknown[] };
}

/** A value of nft's JSON as nft's language has it. */
function formatValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { concat, prefix } = value as {
    readonly concat?: readonly unknown[];
    readonly prefix?: { readonly addr: string; readonly len: number };
  };
  if (concat) return concat.map(formatValue).join(" . ");
  return prefix ? `${prefix.addr}/${prefix.len}` : JSON.stringify(value);
}

export const addElement = (table: string, { of, key, value, owner }: NftElement): string =>
  `add element ${table} ${of} { ${key} comment "${owner}"${value === undefined ? "" : ` : ${value}`} }`;

export const deleteElement = (table: string, { of, key }: NftElement): string =>
  `delete element ${table} ${of} { ${key} }`;

/**
 * Removes elements. Another process may do so at the same time, and what it has removed already cannot be removed:
 * then the rest is read again.
 */
export async function removeElements(
  table: string,
  wanted: (element: NftElement) => boolean,
): Promise<readonly NftElement[]> {
  for (let tries = 1; ; tries++) {
    const found = (await readElements(table)).filter(wanted);
    if (found.length === 0) return found;
    try {
      await runNft(found.map((one) => deleteElement(table, one)));
      return found;
    } catch (error) {
      if (tries === mostTries) throw error;
    }
  }
}

const mostTries = 5;

/** Removes the elements of a network's attachments that are gone. */
export async function removeStale(
  table: string,
  network: string,
  valid: readonly ValidAttachment[],
): Promise<void> {
  const kept = new Set(
    valid.map(({ containerID, ifname }) => ownerOf(network, containerID, ifname)),
  );
  await removeElements(table, ({ owner }) => isOfNetwork(owner, network) && !kept.has(owner));
}

const nft = (args: readonly string[], input?: string) =>
  runChild("nft", args, input === undefined ? {} : { input });
