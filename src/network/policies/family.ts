import { formatIp, parseIpSloppy, unmap } from "../../schema/values/ip.ts";

/** A family of addresses, as nft calls it. */
export type Family = "ip" | "ip6";

export const families: readonly Family[] = ["ip", "ip6"];

/** How many bits the addresses of a family have. */
export const widthOf = (family: Family): number => (family === "ip" ? 32 : 128);

/** An address in its canonical form. */
export interface Address {
  readonly family: Family;
  readonly text: string;
}

/** Reads an address; undefined if it is none. */
export function addressOf(text: string): Address | undefined {
  const ip = parseIpSloppy(text);
  if (!ip) return undefined;
  const address = unmap(ip);
  return { family: address.version === 4 ? "ip" : "ip6", text: formatIp(address) };
}
