import { CniError } from "../../../cri/cni/cni-error.ts";
import {
  formatCidr,
  formatIp,
  type Ip,
  masked,
  parseCidr,
  parseIp,
} from "../../../schema/values/ip.ts";

/** A range of addresses in a subnet, both ends included. */
export interface IpRange {
  readonly version: 4 | 6;
  readonly prefix: number;
  readonly start: bigint;
  readonly end: bigint;
  /** The address of the node in the subnet, which is not given away. */
  readonly gateway: bigint;
}

/** An address, and the range that it is in. */
export interface RangeAddress extends IpRange {
  readonly bits: bigint;
}

/** Ranges of one family, from which a pod gets one address. */
export type RangeSet = readonly IpRange[];

/** Reads the ranges of a configuration. Throws if they are invalid. */
export function readRangeSet(value: unknown, index: number): RangeSet {
  if (!Array.isArray(value) || value.length === 0)
    throw invalid(`invalid range set ${index}: it is empty`);
  const set = value.map((one: unknown) => {
    try {
      return readRange(one as Record<string, unknown>);
    } catch (error) {
      throw invalid(`invalid range set ${index}: ${(error as Error).message}`);
    }
  });
  if (set.some(({ version }) => version !== set[0]?.version))
    throw invalid(`invalid range set ${index}: mixed address families`);
  for (const [i, one] of set.entries())
    if (set.some((other, j) => j > i && overlap(one, other)))
      throw invalid(`invalid range set ${index}: subnets ${formatRange(one)} overlap`);
  return set;
}

/** Throws if two sets could give away the same address. */
export function checkOverlaps(sets: readonly RangeSet[]): void {
  for (const [i, set] of sets.entries())
    for (const [j, other] of sets.entries())
      if (i < j && set.some((one) => other.some((two) => overlap(one, two))))
        throw invalid(`range set ${i} overlaps with ${j}`);
}

function readRange(value: Readonly<Record<string, unknown>>): IpRange {
  const { subnet, rangeStart, rangeEnd, gateway } = value ?? {};
  const cidr = parseCidr(typeof subnet === "string" ? subnet : "");
  if (!cidr) throw new Error(`invalid subnet ${JSON.stringify(subnet)}`);
  const { prefix, ip } = cidr;
  const base = masked(cidr).ip;
  const size = ip.version === 4 ? 32 : 128;
  if (prefix > size - 2) throw new Error(`Network ${formatCidr(cidr)} too small to allocate from`);
  if (base.bits !== ip.bits)
    throw new Error(
      `Network has host bits set. For a subnet mask of length ${prefix} the network address is ${formatIp(base)}`,
    );
  const lastOfAll = base.bits + (1n << BigInt(size - prefix)) - 1n;
  const inside = (what: string, text: unknown): bigint => {
    const read = typeof text === "string" ? parseIp(text) : undefined;
    if (read?.version !== ip.version || read.bits < base.bits || read.bits > lastOfAll)
      throw new Error(`${what} ${String(text)} not in network ${formatCidr(cidr)}`);
    return read.bits;
  };
  // The last address of a network of IPv4 is for broadcasts.
  const end = rangeEnd
    ? inside("RangeEnd", rangeEnd)
    : ip.version === 4
      ? lastOfAll - 1n
      : lastOfAll;
  const start = rangeStart ? inside("RangeStart", rangeStart) : base.bits + 1n;
  if (start > end) throw new Error("RangeStart is after RangeEnd");
  const own = gateway ? readGateway(gateway, ip.version) : base.bits + 1n;
  return { version: ip.version, prefix, start, end, gateway: own };
}

/** It may be outside of the subnet. */
function readGateway(text: unknown, version: 4 | 6): bigint {
  const read = typeof text === "string" ? parseIp(text) : undefined;
  if (read?.version !== version)
    throw new Error(`gateway ${String(text)} is not an address of the family`);
  return read.bits;
}

export const isInRange = ({ version, start, end }: IpRange, ip: Ip): boolean =>
  ip.version === version && ip.bits >= start && ip.bits <= end;

const overlap = (a: IpRange, b: IpRange): boolean =>
  a.version === b.version && a.start <= b.end && b.start <= a.end;

export const formatRange = ({ version, start, end }: IpRange): string =>
  `${formatIp({ version, bits: start })}-${formatIp({ version, bits: end })}`;

/** The addresses of a set to try, beginning after the last one that was given away, without gateways. */
export function* candidates(set: RangeSet, last: Ip | undefined): Generator<RangeAddress> {
  const at = last ? set.findIndex((range) => isInRange(range, last)) : -1;
  const first = set[at];
  if (!first || !last) {
    for (const range of set) yield* within(range, range.start, range.end);
    return;
  }
  yield* within(first, last.bits + 1n, first.end);
  for (let i = 1; i < set.length; i++) {
    const range = set[(at + i) % set.length];
    if (range) yield* within(range, range.start, range.end);
  }
  yield* within(first, first.start, last.bits);
}

function* within(range: IpRange, from: bigint, to: bigint): Generator<RangeAddress> {
  for (let bits = from; bits <= to; bits++) if (bits !== range.gateway) yield { ...range, bits };
}

const invalid = (msg: string): CniError => new CniError("invalidConfig", msg);
