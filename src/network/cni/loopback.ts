import { CniError } from "../../cri/cni/cni-error.ts";
import type { CniResult } from "../../cri/cni/cni-result.ts";
import type { CniPlugin, PluginCall } from "./plugin.ts";
import { checkNamespace, readIp, runIp } from "./run-ip.ts";

/** Sets up the loopback interface of a pod. */
export const loopback: CniPlugin = {
  async add(call) {
    const { netns, prevResult } = call;
    checkNamespace(netns);
    await runIp(["link set dev lo up"], netns);
    return prevResult ?? (await describe(call));
  },
  // It goes with the namespace, and nothing else of it is anywhere.
  del: async () => {},
  async check({ netns }) {
    checkNamespace(netns);
    const [link] = await readIp<Link>(["addr", "show", "dev", "lo"], netns);
    if (!link?.flags?.includes("UP")) throw new CniError("internal", "loopback interface is down");
  },
};

interface Link {
  readonly flags?: readonly string[];
  readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number }[];
}

async function describe({ netns }: PluginCall): Promise<CniResult> {
  const [link] = await readIp<Link>(["addr", "show", "dev", "lo"], netns);
  const addresses = link?.addr_info ?? [];
  return {
    interfaces: [{ name: "lo", mac: "00:00:00:00:00:00", sandbox: netns }],
    ips: addresses.map(({ local, prefixlen }) => ({
      address: `${local}/${prefixlen}`,
      interface: 0,
    })),
    ...{ routes: [], dns: {} },
  };
}
