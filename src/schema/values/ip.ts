import type { Messages } from "./names.ts";
import { quote } from "./quote.ts";

/** An IP address: 32 or 128 bits, and the zone of a scoped IPv6 address. */
export interface Ip {
  readonly version: 4 | 6;
  readonly bits: bigint;
  readonly zone?: string;
}

/** An address and how many of its leading bits are the network's. */
export interface Cidr {
  readonly ip: Ip;
  readonly prefix: number;
}

/** How a field takes addresses that are older than the strict rules. */
export interface LegacyOptions {
  /** False allows leading zeros and IPv4-mapped addresses. */
  readonly strict: boolean;
  /** Values of the old object, which stay valid. */
  readonly validOld?: readonly string[];
}

/** Reads an address by today's rules: no leading zeros, an IPv6 zone is allowed. */
export function parseIp(text: string): Ip | undefined {
  const percent = text.indexOf("%");
  if (percent < 0) return read(text, true);
  const ip = read(text.slice(0, percent), true);
  const zone = text.slice(percent + 1);
  return ip?.version === 6 && zone !== "" ? { ...ip, zone } : undefined;
}

/** Reads an address by the rules of old: leading zeros are ignored, and there are no zones. */
export function parseIpSloppy(text: string): Ip | undefined {
  return read(text, false);
}

/** Reads a CIDR by today's rules. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.lastIndexOf("/");
  const digits = text.slice(slash + 1);
  if (slash < 0 || !/^(0|[1-9][0-9]{0,2})$/.test(digits)) return undefined;
  return toCidr(read(text.slice(0, slash), true), Number(digits));
}

/** Reads a CIDR by the rules of old: leading zeros are ignored, in address and length. */
export function parseCidrSloppy(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const digits = text.slice(slash + 1);
  if (slash < 0 || !/^0*[0-9]{1,3}$/.test(digits)) return undefined;
  return toCidr(read(text.slice(0, slash), false), Number(digits));
}

/** Writes an address in its canonical form (RFC 5952). */
export function formatIp(ip: Ip): string {
  if (ip.version === 4) return formatIpv4(Number(ip.bits));
  const text = isMapped(ip)
    ? `::ffff:${formatIpv4(Number(ip.bits & 0xffffffffn))}`
    : formatIpv6(ip.bits);
  return ip.zone === undefined ? text : `${text}%${ip.zone}`;
}

/** Writes a CIDR in its canonical form, host bits included. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp(cidr.ip)}/${cidr.prefix}`;
}

/** Whether an IPv6 address stands for an IPv4 one (`::ffff:1.2.3.4`). */
function isMapped(ip: Ip): boolean {
  return ip.version === 6 && ip.bits >> 32n === 0xffffn;
}

/** The IPv4 address that a mapped one stands for; any other address as it is. */
export function unmap(ip: Ip): Ip {
  return isMapped(ip) ? { version: 4, bits: ip.bits & 0xffffffffn } : ip;
}

/** The network of a CIDR: its address without host bits. */
export function masked(cidr: Cidr): Cidr {
  const host = BigInt(width(cidr.ip) - cidr.prefix);
  return {
    ip: { version: cidr.ip.version, bits: (cidr.ip.bits >> host) << host },
    prefix: cidr.prefix,
  };
}

/** Whether an address belongs to a network of its own version. */
export function contains(cidr: Cidr, ip: Ip): boolean {
  if (cidr.ip.version !== ip.version) return false;
  const host = BigInt(width(ip) - cidr.prefix);
  return cidr.ip.bits >> host === ip.bits >> host;
}

/** An address in canonical form, for fields that always were strict. */
export function isValidIp(value: string): Messages {
  const messages = ipMessages(value, true);
  if (messages.length > 0) return messages;
  const ip = parseIpSloppy(value);
  return ip === undefined ? [] : canonicalForm(value, formatIp(unmap(ip)));
}

/** An address for fields that once were lenient. */
export function isValidIpForLegacyField(value: string, options: LegacyOptions): Messages {
  return options.validOld?.includes(value) ? [] : ipMessages(value, options.strict);
}

/** A network in canonical form, for fields that always were strict. */
export function isValidCidr(value: string): Messages {
  const messages = cidrMessages(value, true);
  if (messages.length > 0) return messages;
  const cidr = parseCidrSloppy(value);
  return cidr === undefined ? [] : canonicalForm(value, formatNetwork(cidr));
}

/** A network for fields that once were lenient. */
export function isValidCidrForLegacyField(value: string, options: LegacyOptions): Messages {
  return options.validOld?.includes(value) ? [] : cidrMessages(value, options.strict);
}

/** An address with its network's length (`192.168.1.5/24`), in canonical form. */
export function isValidInterfaceAddress(value: string): Messages {
  const cidr = parseCidrSloppy(value);
  if (cidr === undefined) {
    return ["must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"];
  }
  const prefix = isMapped(cidr.ip) && cidr.prefix > 32 ? cidr.prefix - 96 : cidr.prefix;
  return canonicalForm(value, `${formatIp(unmap(cidr.ip))}/${prefix}`);
}

/** Warnings for an address that a legacy field takes though it is not in the form it should be. */
export function getWarningsForIp(path: string, value: string): Messages {
  const sloppy = parseIpSloppy(value);
  if (sloppy === undefined) return [];
  const ip = parseIp(value);
  if (ip === undefined || isMapped(ip)) {
    const use = quote(formatIp(unmap(sloppy)));
    return [`${path}: non-standard IP address ${quote(value)} is invalid: use ${use}`];
  }
  const text = formatIp(ip);
  if (ip.version === 4 || text === value) return [];
  return [
    `${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(text)})`,
  ];
}

/** Warnings for a network that a legacy field takes though it is not in the form it should be. */
export function getWarningsForCidr(path: string, value: string): Messages {
  const sloppy = parseCidrSloppy(value);
  if (sloppy === undefined) return [];
  const warnings: string[] = [];
  const network = quote(formatNetwork(sloppy));
  if (masked(sloppy).ip.bits !== sloppy.ip.bits) {
    const single = quote(`${formatIp(unmap(sloppy.ip))}/${width(sloppy.ip)}`);
    warnings.push(
      `${path}: CIDR value ${quote(value)} is ambiguous in this context (should be ${network} or ${single}?)`,
    );
  }
  const cidr = parseCidr(value);
  if (cidr === undefined || isMapped(cidr.ip)) {
    warnings.push(`${path}: non-standard CIDR value ${quote(value)} is invalid: use ${network}`);
  } else if (warnings.length === 0 && cidr.ip.version === 6 && formatCidr(cidr) !== value) {
    const text = quote(formatCidr(cidr));
    warnings.push(
      `${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${text})`,
    );
  }
  return warnings;
}

function ipMessages(value: string, strict: boolean): Messages {
  if (parseIpSloppy(value) === undefined) {
    return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  }
  if (!strict) return [];
  const ip = parseIp(value);
  if (ip === undefined) return ["must not have leading 0s"];
  return isMapped(ip) ? ["must not be an IPv4-mapped IPv6 address"] : [];
}

function cidrMessages(value: string, strict: boolean): Messages {
  if (parseCidrSloppy(value) === undefined) {
    return ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];
  }
  if (!strict) return [];
  const cidr = parseCidr(value);
  if (cidr === undefined) return ["must not have leading 0s in IP or prefix length"];
  if (isMapped(cidr.ip)) return ["must not have an IPv4-mapped IPv6 address"];
  if (masked(cidr).ip.bits === cidr.ip.bits) return [];
  return ["must not have bits set beyond the prefix length"];
}

function canonicalForm(value: string, canonical: string): Messages {
  return value === canonical ? [] : [`must be in canonical form (${quote(canonical)})`];
}

/** A network as Go's IPNet writes it: a mapped one as IPv4. */
function formatNetwork(cidr: Cidr): string {
  const network = masked(cidr);
  if (!isMapped(network.ip)) return formatCidr(network);
  return `${formatIp(unmap(network.ip))}/${network.prefix - 96}`;
}

function width(ip: Ip): number {
  return ip.version === 4 ? 32 : 128;
}

function toCidr(ip: Ip | undefined, prefix: number): Cidr | undefined {
  return ip === undefined || prefix > width(ip) ? undefined : { ip, prefix };
}

function read(text: string, strict: boolean): Ip | undefined {
  if (text.includes(":")) {
    const bits = readIpv6(text, strict);
    return bits === undefined ? undefined : { version: 6, bits };
  }
  const bits = readIpv4(text, strict);
  return bits === undefined ? undefined : { version: 4, bits: BigInt(bits) };
}

const octet = /^(?:0|[1-9][0-9]{0,2})$/;
const sloppyOctet = /^0*[0-9]{1,3}$/;

function readIpv4(text: string, strict: boolean): number | undefined {
  const parts = text.split(".", 5);
  if (parts.length !== 4) return undefined;
  let bits = 0;
  for (const part of parts) {
    const value = Number(part);
    if (!(strict ? octet : sloppyOctet).test(part) || value > 255) return undefined;
    bits = bits * 256 + value;
  }
  return bits;
}

function readIpv6(text: string, strict: boolean): bigint | undefined {
  const ellipsis = text.indexOf("::");
  if (ellipsis < 0) {
    const groups = readGroups(text, strict, true);
    return groups?.length === 8 ? join(groups) : undefined;
  }
  const before = text.slice(0, ellipsis);
  const after = text.slice(ellipsis + 2);
  const head = before === "" ? [] : readGroups(before, strict, false);
  const tail = after === "" ? [] : readGroups(after, strict, true);
  if (head === undefined || tail === undefined) return undefined;
  // The ellipsis must stand for one group at least.
  const missing = 8 - head.length - tail.length;
  if (missing < 1) return undefined;
  return join([...head, ...new Array<number>(missing).fill(0), ...tail]);
}

const group = /^[0-9a-fA-F]{1,4}$/;
const sloppyGroup = /^0*[0-9a-fA-F]{1,4}$/;

/** Groups of 16 bits; the last may be an IPv4 address, which makes two. */
function readGroups(text: string, strict: boolean, last: boolean): number[] | undefined {
  const parts = text.split(":", 9);
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (last && index === parts.length - 1 && part.includes(".")) {
      const v4 = readIpv4(part, strict);
      if (v4 === undefined) return undefined;
      groups.push(v4 >>> 16, v4 & 0xffff);
    } else {
      if (!(strict ? group : sloppyGroup).test(part)) return undefined;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups;
}

function join(groups: readonly number[]): bigint {
  return groups.reduce((bits, part) => (bits << 16n) | BigInt(part), 0n);
}

function formatIpv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

function formatIpv6(bits: bigint): string {
  const groups: number[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(Number((bits >> shift) & 0xffffn));
  const hex = (part: readonly number[]) => part.map((value) => value.toString(16)).join(":");
  const zeros = longestZeros(groups);
  if (zeros === undefined) return hex(groups);
  return `${hex(groups.slice(0, zeros.start))}::${hex(groups.slice(zeros.end))}`;
}

/** The first of the longest runs of two zero groups or more. */
function longestZeros(groups: readonly number[]): { start: number; end: number } | undefined {
  let best: { start: number; end: number } | undefined;
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start >= 2 && (best === undefined || end - start > best.end - best.start)) {
      best = { start, end };
    }
    start = Math.max(start, end - 1);
  }
  return best;
}
