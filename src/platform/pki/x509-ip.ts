import { isIPv4, isIPv6 } from "node:net";

/** The bytes of an IP address as certificates hold them: 4 or 16. */
export function ipBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split(".").map(Number));
  if (!isIPv6(address) || address.includes("%")) throw new Error(`not an IP address: ${address}`);
  const [head = "", tail] = address.split("::");
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 16 - before.length - after.length }, () => 0);
  return Uint8Array.from([...before, ...zeros, ...after]);
}

/** The bytes of groups between colons, the last of which may be an IPv4 address. */
function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
