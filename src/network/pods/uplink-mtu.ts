import { readFileSync } from "node:fs";

/** The MTU of this node's pods: that of its uplink, or of the tunnels to other nodes, which is smaller. */
export function podMtu(): number {
  const uplinks = defaultDevices(read("/proc/net/route"), read("/proc/net/ipv6_route"));
  const sizes = [...uplinks, ...tunnels].flatMap((name) => mtuOf(name) ?? []);
  return sizes.length === 0 ? 1500 : Math.min(...sizes);
}

/** The interfaces of default routes in the kernel's tables of IPv4 and IPv6. */
export function defaultDevices(ipv4: string, ipv6: string): readonly string[] {
  const rows = (text: string): readonly string[][] =>
    text.split("\n").map((line) => line.trim().split(/\s+/));
  const found = [
    ...rows(ipv4).flatMap(([device = "", to, , , , , , mask]) =>
      to === "00000000" && mask === "00000000" ? [device] : [],
    ),
    ...rows(ipv6).flatMap(([to = "", length, , , , , , , , device = ""]) =>
      /^0{32}$/.test(to) && length === "00" ? [device] : [],
    ),
  ];
  return [...new Set(found)].filter((name) => name !== "lo");
}

const tunnels = ["flannel.1", "flannel-v6.1"];

/** These files are those of the network namespace that this process is in; in `/sys` they need not be. */
function mtuOf(name: string): number | undefined {
  const bytes = Number(
    read(`/proc/sys/net/ipv6/conf/${name}/mtu`) || read(`/sys/class/net/${name}/mtu`),
  );
  return bytes > 0 ? bytes : undefined;
}

/** The content of a file; empty if there is none. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
