import { type Cidr, type Ip, masked, parseCidr } from "../../schema/values/ip.ts";

/** Parses the ranges of a node's pods, separated by commas: at most one of each family; others are left out. */
export function parsePodRanges(text: string): readonly Cidr[] {
  const ranges: Cidr[] = [];
  for (const one of text.split(",")) {
    const range = parseCidr(one.trim());
    if (range && !ranges.some(({ ip }) => ip.version === range.ip.version))
      ranges.push(masked(range));
  }
  return ranges;
}

/**
 * The addresses of a range that pods can have, the one after `last` first. The first two of a range are not pods':
 * they stand for the node in networks of VXLAN and on bridges; nor is the last one of IPv4.
 */
export function* podAddresses({ ip, prefix }: Cidr, last?: Ip): Generator<Ip> {
  const bits = BigInt((ip.version === 4 ? 32 : 128) - prefix);
  const all = 1n << bits;
  const size = all < mostAddresses ? all : mostAddresses;
  const end = ip.version === 4 && size === all ? size - 1n : size;
  const count = end - firstOffset;
  const from = last && last.bits >= ip.bits + firstOffset ? last.bits - ip.bits + 1n : firstOffset;
  for (let tried = 0n; tried < count; tried++)
    yield { ...ip, bits: ip.bits + firstOffset + ((from - firstOffset + tried) % count) };
}

const firstOffset = 2n;
/** A node has fewer pods than this. */
const mostAddresses = 65536n;
