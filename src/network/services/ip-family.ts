import {
  type Cidr,
  contains,
  formatCidr,
  formatIp,
  masked,
  parseCidrSloppy,
  parseIpSloppy,
  unmap,
} from "../../schema/values/ip.ts";

/** The families of addresses, as services name them. */
export type IpFamily = "IPv4" | "IPv6";

export const ipFamilies: readonly IpFamily[] = ["IPv4", "IPv6"];

/** An address in canonical form with its family; undefined if it is none. */
export function readAddress(text: string): { family: IpFamily; address: string } | undefined {
  // Most addresses are canonical IPv4 ones, of which there are thousands.
  if (plainIpv4.test(text)) return { family: "IPv4", address: text };
  const parsed = parseIpSloppy(text);
  if (!parsed) return undefined;
  const ip = unmap(parsed);
  return { family: ip.version === 4 ? "IPv4" : "IPv6", address: formatIp(ip) };
}

const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const plainIpv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** The addresses of one family, in canonical form. */
export const addressesOf = (family: IpFamily, texts: readonly string[] = []): readonly string[] =>
  texts.flatMap((text) => {
    const read = readAddress(text);
    return read?.family === family ? [read.address] : [];
  });

/** The ranges of one family without those that lie in another, in canonical form. */
export function rangesOf(family: IpFamily, texts: readonly string[] = []): readonly string[] {
  const version = family === "IPv4" ? 4 : 6;
  const ranges = texts
    .flatMap((text) => parseCidrSloppy(text.trim()) ?? [])
    .filter(({ ip }) => ip.version === version)
    .map(masked)
    .sort((a, b) => a.prefix - b.prefix);
  const kept: Cidr[] = [];
  for (const range of ranges) if (!kept.some((other) => holds(other, range))) kept.push(range);
  return kept.map(formatCidr);
}

/** Whether a range lies in another that is at least as large. */
function holds(large: Cidr, small: Cidr): boolean {
  const host = BigInt((large.ip.version === 4 ? 32 : 128) - large.prefix);
  return large.ip.bits >> host === small.ip.bits >> host;
}

/** Whether an address lies in one of these ranges. */
export function isInside(address: string, ranges: readonly string[]): boolean {
  const ip = parseIpSloppy(address);
  return (
    ip !== undefined &&
    ranges.some((text) => {
      const range = parseCidrSloppy(text);
      return range !== undefined && contains(range, unmap(ip));
    })
  );
}
