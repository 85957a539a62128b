import { formatIp } from "../../schema/values/ip.ts";
import type { Direction } from "./compiled-policy.ts";
import { type Family, widthOf } from "./family.ts";
import type { Protocol } from "./policy-pod.ts";
import { ownSet, type Way } from "./policy-table.ts";
import type { Range } from "./ranges.ts";

/** One way in which traffic is allowed, in the words of a family's table. */
export interface Allowed {
  /** Undefined: all peers; otherwise a set of addresses, or ranges of them. */
  readonly peers?: { readonly set: string } | { readonly blocks: readonly Range<bigint>[] };
  /** Undefined: all ports of all protocols. */
  readonly ports?: { readonly protocol: Protocol } & (
    | { readonly numbers: readonly Range<number>[] }
    /** A set of addresses with their ports. */
    | { readonly set: string }
  );
}

/** The rules of a chain that lets allowed packets return, and drops others. */
export function classLines(
  family: Family,
  { direction, way, allowed }: ClassWay & { readonly allowed: readonly Allowed[] },
): readonly string[] {
  const isRequest = way === "requests";
  // The peer of a packet that comes in is its source; that of a reply to it is the destination.
  const peer = `${family} ${(direction === "ingress") === isRequest ? "saddr" : "daddr"}`;
  const receiver = `${family} ${isRequest ? "daddr" : "saddr"}`;
  const port = isRequest ? "dport" : "sport";
  const peerMatch = (peers: Allowed["peers"]): string => {
    if (!peers) return "";
    if ("set" in peers) return `${peer} @${peers.set} `;
    return `${peer} { ${peers.blocks.map((block) => blockText(family, block)).join(", ")} } `;
  };
  const portMatch = (ports: Allowed["ports"]): string => {
    if (!ports) return "";
    const name = ports.protocol.toLowerCase();
    if ("set" in ports) return `${receiver} . ${name} ${port} @${ports.set} `;
    const [only] = ports.numbers;
    // A rule for all ports needs no set.
    if (only?.first === 0 && only.last === 65_535) return `meta l4proto ${name} `;
    return `${name} ${port} { ${ports.numbers.map(portText).join(", ")} } `;
  };
  const lines = allowed
    // A set of nothing cannot be written, and matches nothing.
    .filter(({ peers }) => !(peers && "blocks" in peers) || peers.blocks.length > 0)
    .map(({ peers, ports }) => `${peerMatch(peers)}${portMatch(ports)}return`);
  return [...new Set(lines), `${family} saddr . ${family} daddr @${ownSet} return`, "drop"];
}

export interface ClassWay {
  readonly direction: Direction;
  readonly way: Way;
}

const portText = ({ first, last }: Range<number>): string =>
  first === last ? `${first}` : `${first}-${last}`;

function blockText(family: Family, { first, last }: Range<bigint>): string {
  const text = (bits: bigint): string => formatIp({ version: family === "ip" ? 4 : 6, bits });
  if (first === last) return text(first);
  // Nft takes no range of all addresses.
  if (first === 0n && last === (1n << BigInt(widthOf(family))) - 1n) return `${text(0n)}/0`;
  return `${text(first)}-${text(last)}`;
}
