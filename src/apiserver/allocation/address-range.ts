import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import type { Random } from "../../base/random.ts";
import { formatCidr, type Ip, masked, parseCidr } from "../../schema/values/ip.ts";

/**
 * A network that services get addresses from. As long as the upper band has free addresses, the lower
 * one is left to clients that choose an address themselves: of 10.0.0.0/24, 1 to 16 are the lower band
 * and 17 to 254 the upper one. The addresses of the network and of broadcasts are not allocated.
 */
export interface AddressRange {
  readonly cidr: string;
  readonly family: IpFamily;
  readonly first: bigint;
  /** The first address of the upper band. */
  readonly upper: bigint;
  readonly last: bigint;
}

/** The range of a network; undefined if no addresses can be allocated from it. */
export function addressRange(cidr: string): AddressRange | undefined {
  const parsed = parseCidr(cidr);
  if (!parsed) return undefined;
  const network = masked(parsed);
  const { version, bits } = network.ip;
  const hostBits = (version === 4 ? 32 : 128) - network.prefix;
  if (hostBits > 64) return undefined;
  const first = bits + 1n;
  const broadcast = bits + (1n << BigInt(hostBits)) - 1n;
  return {
    cidr: formatCidr(network),
    family: version === 4 ? "IPv4" : "IPv6",
    first,
    upper: first + BigInt(lowerBand(version, hostBits)),
    last: version === 4 ? broadcast - 1n : broadcast,
  };
}

/** Whether an address can be allocated from a range. */
export const gives = ({ family, first, last }: AddressRange, { version, bits }: Ip): boolean =>
  (version === 4 ? "IPv4" : "IPv6") === family && bits >= first && bits <= last;

/** All addresses in the order in which they are tried: from a random one of the upper band on. */
export function* candidates(
  { family, first, upper, last }: AddressRange,
  random: Random,
): Generator<Ip> {
  const version = family === "IPv4" ? 4 : 6;
  for (const [low, high] of [
    [upper, last],
    [first, upper - 1n],
  ] as const) {
    const count = high - low + 1n;
    if (count <= 0n) continue;
    const start = randomBelow(random, count);
    for (let i = 0n; i < count; i++) yield { version, bits: low + ((start + i) % count) };
  }
}

/** How many addresses the lower band has. */
function lowerBand(version: 4 | 6, hostBits: number): number {
  // Networks as large as these are not divided.
  if (version === 4 && hostBits >= 31) return 0;
  const size = 2 ** hostBits;
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256);
}

const word = 2 ** 32;

function randomBelow(random: Random, count: bigint): bigint {
  if (count <= BigInt(word)) return BigInt(Math.floor(random.next() * Number(count)));
  const draw = () => BigInt(Math.floor(random.next() * word));
  return (draw() * BigInt(word) + draw()) % count;
}
