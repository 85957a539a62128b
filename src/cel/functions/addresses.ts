import {
  type Cidr,
  contains,
  formatCidr,
  formatIp,
  type Ip,
  masked,
} from "../../schema/values/ip.ts";
import { quote } from "../../schema/values/quote.ts";
import { CelError, type CelValue, isError } from "../values/cel-value.ts";
import { CelCidr, CelIp } from "../values/kubernetes-values.ts";
import { type Implementations, one, two } from "./implementation.ts";
import { readAddress, readPrefix } from "./read-address.ts";

/** The functions on IP addresses and networks. */
export const addressFunctions: Implementations = {
  string_to_ip: one(toIp),
  ip_family: one(({ ip }: CelIp) => BigInt(ip.version)),
  ip_is_canonical: one((text: string) => {
    const ip = readIp(text);
    return typeof ip === "string" ? new CelError(ip) : formatIp(ip) === text;
  }),
  is_ip: one((text: string) => typeof readIp(text) !== "string"),
  ip_to_string: one(({ ip }: CelIp) => formatIp(ip)),
  ip_is_unspecified: one(({ ip }: CelIp) => ip.bits === 0n),
  ip_is_loopback: one(({ ip }: CelIp) => (ip.version === 4 ? begins(ip, 127n, 8) : ip.bits === 1n)),
  ip_is_link_local_multicast: one(({ ip }: CelIp) => isLinkLocalMulticast(ip)),
  ip_is_link_local_unicast: one(({ ip }: CelIp) => isLinkLocalUnicast(ip)),
  ip_is_global_unicast: one(({ ip }: CelIp) => isGlobalUnicast(ip)),
  string_to_cidr: one(toCidr),
  is_cidr: one((text: string) => typeof readCidr(text) !== "string"),
  cidr_to_string: one(({ cidr }: CelCidr) => formatCidr(cidr)),
  cidr_contains_ip_ip: two(containsIp),
  cidr_contains_ip_string: two((cidr: CelCidr, text: string) => containsIp(cidr, toIp(text))),
  cidr_contains_cidr: two(containsCidr),
  cidr_contains_cidr_string: two((cidr: CelCidr, text: string) => containsCidr(cidr, toCidr(text))),
  cidr_ip: one(({ cidr }: CelCidr) => new CelIp(cidr.ip)),
  cidr_prefix_length: one(({ cidr }: CelCidr) => BigInt(cidr.prefix)),
  cidr_masked: one(({ cidr }: CelCidr) => new CelCidr(masked(cidr))),
};

/** Reads an address that has no zone and stands for no other; or tells why it is none. */
function readIp(text: string): Ip | string {
  const read = readAddress(text);
  if (typeof read === "string")
    return `IP Address ${quote(text)} parse error during conversion from string: ${read}`;
  if (read.zone !== undefined) return `IP address ${quote(text)} with zone value is not allowed`;
  return mappedFault(read, text) ?? read;
}

function readCidr(text: string): Cidr | string {
  const read = readPrefix(text);
  if (typeof read === "string")
    return `network address parse error during conversion from string: ${read}`;
  return mappedFault(read.ip, text) ?? read;
}

const mappedFault = (ip: Ip, text: string): string | undefined =>
  ip.version === 6 && ip.bits >> 32n === 0xffffn
    ? `IPv4-mapped IPv6 address ${quote(text)} is not allowed`
    : undefined;

function toIp(text: string): CelIp | CelError {
  const ip = readIp(text);
  return typeof ip === "string" ? new CelError(ip) : new CelIp(ip);
}

function toCidr(text: string): CelCidr | CelError {
  const cidr = readCidr(text);
  return typeof cidr === "string"
    ? new CelError(`network address parse error during conversion from string: ${cidr}`)
    : new CelCidr(cidr);
}

function containsIp({ cidr }: CelCidr, ip: CelIp | CelError): CelValue {
  // An address that cannot be read is no reason that upstream tells.
  return isError(ip) ? new CelError("no such overload") : contains(cidr, ip.ip);
}

function containsCidr({ cidr }: CelCidr, other: CelCidr | CelError): CelValue {
  if (isError(other)) return other;
  return cidr.prefix <= other.cidr.prefix && contains(cidr, other.cidr.ip);
}

/** Whether the first bits of an address are these. */
function begins(ip: Ip, bits: bigint, count: number): boolean {
  const width = ip.version === 4 ? 32 : 128;
  return ip.bits >> BigInt(width - count) === bits;
}

const isLinkLocalMulticast = (ip: Ip): boolean =>
  ip.version === 4 ? begins(ip, 0xe00000n, 24) : begins(ip, 0xffn, 8) && nibble(ip, 3) === 2n;

const isLinkLocalUnicast = (ip: Ip): boolean =>
  ip.version === 4 ? begins(ip, 0xa9fen, 16) : begins(ip, 0xfe80n >> 6n, 10);

const isMulticast = (ip: Ip): boolean =>
  ip.version === 4 ? begins(ip, 0xen, 4) : begins(ip, 0xffn, 8);

/** The digit at a place of an address of IPv6. */
const nibble = (ip: Ip, place: number): bigint => (ip.bits >> BigInt(124 - 4 * place)) & 0xfn;

function isGlobalUnicast(ip: Ip): boolean {
  if (ip.bits === 0n || (ip.version === 4 && ip.bits === 0xffffffffn)) return false;
  const isLoopback = ip.version === 4 ? begins(ip, 127n, 8) : ip.bits === 1n;
  return !isLoopback && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}
