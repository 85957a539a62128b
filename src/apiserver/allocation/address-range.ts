import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import type { Random } from "../../base/random.ts";
import { formatCidr, type Ip, masked, parseCidr } from "../../schema/values/ip.ts";

/**
 * A network that services get addresses from. Its lower band is left, as long as the upper one has
 * free addresses, to those who choose an address themselves: of 10.0.0.0/24, whose own address and
 * broadcast address are nobody's, 1 to 16 are the lower band and 17 to 254 the upper one.
 */
export interface AddressRange {
  readonly cidr: string;
  readonly family: IpFamily;
  readonly first: bigint;
  /** Where the upper band begins. */
  readonly upper: bigint;
  readonly last: bigint;
}

/** A range by its network; undefined where no addresses can be given from it. */
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

/** Whether an address is one of those that a range gives. */
export const gives = ({ family, first, last }: AddressRange, { version, bits }: Ip): boolean =>
  (version === 4 ? "IPv4" : "IPv6") === family && bits >= first && bits <= last;

/** All addresses in the order in which they are tried: from anywhere in the upper band on, then the lower. */
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
