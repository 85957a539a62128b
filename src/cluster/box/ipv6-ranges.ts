import { readFileSync } from "node:fs";

/** The addresses of IPv6 of a box, beside those of IPv4. */
export interface BoxIpv6 {
  readonly address: string;
  /** The machine's address, the same for all boxes of a cluster. */
  readonly gateway: string;
  readonly podCidr: string;
}

/**
 * The prefix of all addresses of IPv6 of a cluster, such as `fd12:3456:789a`: a local one, random as RFC 4193 wants,
 * and without leading zeros in its groups, as programs print addresses.
 */
export function randomPrefix(bytes: Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = bytes;
  return [0xfd00 + a, b * 256 + c, d * 256 + e].map((group) => group.toString(16)).join(":");
}

/** The ranges of nodes and their pods, that of load balancers, which is a part of the nodes', and that of services. */
export const ipv6Ranges = (prefix: string) => ({
  nodes: `${prefix}::/64`,
  pods: `${prefix}:1000::/52`,
  /** The part of the pods' range from which machines that join get theirs. */
  joined: `${prefix}:1800::/53`,
  balancers: `${prefix}:0:8000::/112`,
  services: `${prefix}:ffff::/112`,
});

/** The addresses of a box by its number, which counts from 0. */
export function boxIpv6(prefix: string, number: number): BoxIpv6 {
  if (number > 0x7ff) throw new Error(`${prefix}::/48 has no addresses for ${number + 1} nodes`);
  return {
    address: `${prefix}::${(number + 2).toString(16)}`,
    gateway: `${prefix}::1`,
    podCidr: `${prefix}:${(0x1000 + number).toString(16)}::/64`,
  };
}

/** Why boxes cannot have addresses of IPv6 on this machine; undefined if they can. */
export function missingForIpv6(): string | undefined {
  try {
    const value = readFileSync("/proc/sys/net/ipv6/conf/all/disable_ipv6", "utf8").trim();
    return value === "0" ? undefined : "IPv6 is disabled on this machine";
  } catch {
    return "the kernel of this machine has no IPv6";
  }
}
