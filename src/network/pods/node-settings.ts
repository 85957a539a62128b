import { readdirSync } from "node:fs";
import { changeSettings, kernelSetting } from "../kernel-settings.ts";

/** Has a node forward packets of its pods. What it changes of the node's settings is recorded in a file. */
export async function enableForwarding(
  families: readonly (4 | 6)[],
  record: string,
): Promise<void> {
  const wanted = new Map<string, string>();
  if (families.includes(4)) wanted.set(`${settings}/ipv4/ip_forward`, "1");
  if (families.includes(6)) {
    // A node that forwards takes its own default route from routers only with this value.
    for (const name of readdirSync(`${settings}/ipv6/conf`)) {
      const path = `${settings}/ipv6/conf/${name}/accept_ra`;
      const isRouted = kernelSetting(path) === "1";
      if (isRouted && name !== "lo" && !name.startsWith("veth")) wanted.set(path, "2");
    }
    wanted.set(`${settings}/ipv6/conf/all/forwarding`, "1");
  }
  // A node that forwards already has the rest as its owner wants it.
  const isForwarding = [...wanted].every(
    ([path, value]) => path.endsWith("accept_ra") || kernelSetting(path) === value,
  );
  if (!isForwarding) await changeSettings(wanted, record);
}

const settings = "/proc/sys/net";
