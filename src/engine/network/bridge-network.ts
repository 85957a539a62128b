import { mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import type { NetworkedPod, PodNetwork } from "../../cri/pod-network.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { contains, formatAddress, parseAddress, parseSubnet, type Subnet } from "./ipv4.ts";
import { masquerade } from "./masquerade.ts";

export interface BridgeNetworkOptions {
  /** The name of the bridge, which is created with the first pod. */
  readonly bridge: string;
  /** The range of pod addresses, such as `10.244.0.0/24`; undefined until the cluster assigns one. */
  readonly podCidr?: string | undefined;
  /** Where the addresses of pods are recorded. */
  readonly folder: string;
  /** Whether pods reach the outside with the machine's address; else others have to route to them. */
  readonly masquerades?: boolean | undefined;
  readonly log?: Log | undefined;
}

/**
 * Connects the pods of a machine with a bridge that has the first address of their range. An address is a link
 * to the name of its pod, created before the address is used: whatever is interrupted, no two pods have one address,
 * and no address is without its pod. If the node gets another range, pods keep the addresses that they have.
 */
export function bridgeNetwork(options: BridgeNetworkOptions): PodNetwork {
  const { bridge, folder } = options;
  let range = options.podCidr;
  let last = 0;
  let opening: Promise<Subnet> | undefined;
  const open = (): Promise<Subnet> => {
    opening ??= openBridge(options, range);
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const allocate = async (subnet: Subnet, sandboxId: string): Promise<number> => {
    const known = (await allocated(folder)).find(([, owner]) => owner === sandboxId);
    if (known && contains(subnet, known[0])) return known[0];
    const size = 2 ** (32 - subnet.prefixLength);
    // The search starts after the last address: one that was just released rests for a while.
    for (let tried = 0; tried < size; tried++) {
      const address = subnet.base + ((last - subnet.base + 1 + tried + size) % size);
      const isReserved = address <= subnet.base + 1 || address === subnet.base + size - 1;
      if (isReserved || !(await claim(join(folder, formatAddress(address)), sandboxId))) continue;
      last = address;
      return address;
    }
    throw new Error(`no address is free in the pod range ${range}`);
  };
  return {
    problem: async () => (range === undefined ? noRange : undefined),
    setRange(podCidrs) {
      const assigned = podCidrs.split(",").find((one) => parseSubnet(one) !== undefined);
      if (assigned === undefined || assigned === range) return;
      range = assigned;
      opening = undefined;
    },
    async add(pod) {
      const subnet = await open();
      if (!contains(subnet, last)) last = subnet.base;
      const address = formatAddress(await allocate(subnet, pod.sandboxId));
      await connectPod(pod, { address, subnet, bridge });
      return [address];
    },
    async remove({ sandboxId }) {
      // The interface goes with the pod's namespace.
      for (const [address, owner] of await allocated(folder))
        if (owner === sandboxId) await rm(join(folder, formatAddress(address)), { force: true });
    },
  };
}

const noRange = "the node has no range of pod addresses yet";

/** The recorded addresses and their sandboxes. */
async function allocated(folder: string): Promise<readonly [address: number, owner: string][]> {
  const names = await readdir(folder).catch(() => []);
  const entries = names.map(async (name): Promise<[number, string] | undefined> => {
    const address = parseAddress(name);
    if (address === undefined) return undefined;
    return [address, await readlink(join(folder, name)).catch(() => "")];
  });
  return (await Promise.all(entries)).filter((one) => one !== undefined);
}

/** Records an address; false if a pod has it. */
async function claim(path: string, sandboxId: string): Promise<boolean> {
  try {
    await symlink(sandboxId, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function openBridge(
  { bridge, folder, masquerades = false, log }: BridgeNetworkOptions,
  range: string | undefined,
): Promise<Subnet> {
  if (range === undefined) throw new Error(noRange);
  const subnet = parseSubnet(range);
  if (!subnet) throw new Error(`the pod range ${range} is not a subnet of IPv4`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await runChild("ip", ["link", "add", "name", bridge, "type", "bridge"]);
  await mustRun("ip", ["-batch", "-"], {
    input: [
      `addr replace ${formatAddress(subnet.base + 1)}/${subnet.prefixLength} dev ${bridge}`,
      `link set dev ${bridge} up`,
      "",
    ].join("\n"),
  });
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
  const problem = masquerades ? await masquerade(bridge, subnet) : undefined;
  if (problem !== undefined) log?.warn("pods do not reach the outside", { problem });
  return subnet;
}

interface PodLink {
  readonly address: string;
  readonly subnet: Subnet;
  readonly bridge: string;
}

/** Connects a pod with the bridge, by one script: each process more would delay the pod's start. */
async function connectPod(
  { sandboxId, namespace }: NetworkedPod,
  { address, subnet, bridge }: PodLink,
): Promise<void> {
  const link = `veth${sandboxId.slice(0, 8)}`;
  const script = `set -e
ip link add "$1" type veth peer name eth0 netns "$2" 2>/dev/null || { ip link delete "$1"; ip link add "$1" type veth peer name eth0 netns "$2"; }
ip link set "$1" master "$3" up
exec nsenter --net="$2" ip -batch -`;
  await mustRun("sh", ["-c", script, "sh", link, namespace, bridge], {
    input: [
      "link set lo up",
      `addr add ${address}/${subnet.prefixLength} dev eth0`,
      "link set eth0 up",
      `route replace default via ${formatAddress(subnet.base + 1)}`,
      "",
    ].join("\n"),
  });
}
