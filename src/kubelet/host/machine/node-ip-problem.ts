import { BlockList, isIP, isIPv6 } from "node:net";

/** Why an address cannot be that of a machine with these addresses; undefined if it can. */
export function nodeIPProblem(address: string, own: readonly string[]): string | undefined {
  if (isIP(address) === 0) return "nodeIP must be a valid IP address";
  if (isIn(loopback, address)) return "nodeIP can't be loopback address";
  if (isIn(multicast, address)) return "nodeIP can't be a multicast address";
  if (isIn(linkLocal, address)) return "nodeIP can't be a link-local unicast address";
  if (address === "0.0.0.0" || address === "::") return "nodeIP can't be an all zeros address";
  if (own.includes(address)) return undefined;
  return `node IP: "${address}" not found in the host's network interfaces`;
}

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

function blocks(v4: readonly [string, number], v6: readonly [string, number]): BlockList {
  const list = new BlockList();
  list.addSubnet(v4[0], v4[1], "ipv4");
  list.addSubnet(v6[0], v6[1], "ipv6");
  return list;
}

const loopback = blocks(["127.0.0.0", 8], ["::1", 128]);
const multicast = blocks(["224.0.0.0", 4], ["ff00::", 8]);
const linkLocal = blocks(["169.254.0.0", 16], ["fe80::", 10]);
