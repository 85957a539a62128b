import { createHash } from "node:crypto";
import { join } from "node:path";
import { CniError } from "../../cri/cni/cni-error.ts";
import type { Cidr } from "../../schema/values/ip.ts";
import { connectPod, disconnectPod, linkExists } from "../pods/connect-pod.ts";
import { enableForwarding } from "../pods/node-settings.ts";
import { PodAddresses } from "../pods/pod-addresses.ts";
import { linkName } from "../pods/pod-link.ts";
import { parsePodRanges } from "../pods/pod-ranges.ts";
import { podRules } from "../pods/pod-rules.ts";
import { podMtu } from "../pods/uplink-mtu.ts";
import { runNft } from "../run-nft.ts";
import { type CniPlugin, type NetworkCall, type PluginCall, validAttachments } from "./plugin.ts";
import { checkNamespace, isIpv6, readIp } from "./run-ip.ts";

/** The network that our nodes have without CNI: each pod has a pair of interfaces and a route; there is no bridge. */
export const builtIn: CniPlugin = {
  async add(call) {
    const ranges = readRanges(call);
    checkCall(call);
    const folder = folderOf(call);
    const addresses = await PodAddresses.open(join(folder, "addresses"));
    const sandboxId = sandboxIdOf(call.containerId, call.ifName);
    await prepareNode(ranges, folder);
    const ips: string[] = [];
    try {
      for (const range of ranges) ips.push(await addresses.allocate(range, sandboxId));
      const mtu = podMtu();
      const { netns: namespace } = call;
      await connectPod({ sandboxId, namespace, addresses: ips, mtu, owner: ownerOf(call) }, {});
    } catch (error) {
      await addresses.release(sandboxId);
      throw error;
    }
    return {
      interfaces: [{ name: linkName(sandboxId) }, { name: call.ifName, sandbox: call.netns }],
      ips: ips.map((ip) => ({ address: `${ip}/${isIpv6(ip) ? 128 : 32}`, interface: 1 })),
      routes: ips.map((ip) => ({ dst: isIpv6(ip) ? "::/0" : "0.0.0.0/0" })),
      dns: { ...call.config.dns },
    };
  },
  async del(call) {
    const sandboxId = sandboxIdOf(call.containerId, call.ifName);
    await disconnectPod(sandboxId);
    // At last: nothing has the address any more.
    await (await PodAddresses.open(join(folderOf(call), "addresses"))).release(sandboxId);
  },
  async check(call) {
    checkNamespace(call.netns);
    const sandboxId = sandboxIdOf(call.containerId, call.ifName);
    const own = (await PodAddresses.open(join(folderOf(call), "addresses"))).of(sandboxId);
    if (own.length === 0 || !linkExists(linkName(sandboxId)))
      throw new CniError("internal", `the pod is not connected: it has no interface on the node`);
    const [link] = await readIp<AddressRow>(["addr", "show", "dev", call.ifName], call.netns);
    const present = link?.addr_info?.map(({ local }) => local) ?? [];
    const missing = own.find((one) => !present.includes(one));
    if (missing !== undefined)
      throw new CniError("internal", `the address ${missing} is not on ${call.ifName}`);
  },
  async gc(call) {
    const valid = validAttachments(call);
    if (!valid) return;
    const kept = new Set(valid.map(({ containerID, ifname }) => sandboxIdOf(containerID, ifname)));
    const addresses = await PodAddresses.open(join(folderOf(call), "addresses"));
    for (const sandboxId of addresses.owners())
      if (!kept.has(sandboxId)) {
        await disconnectPod(sandboxId);
        await addresses.release(sandboxId);
      }
  },
  async status(call) {
    try {
      readRanges(call);
    } catch (error) {
      throw new CniError("notAvailable", (error as Error).message);
    }
  },
};

interface AddressRow {
  readonly addr_info?: readonly { readonly local: string }[];
}

/** IDs of other runtimes need not be hexadecimal, of which the names of interfaces are made. */
const sandboxIdOf = (containerId: string, ifName: string): string =>
  createHash("sha256").update(`${containerId} ${ifName}`).digest("hex");

const ownerOf = ({ config }: NetworkCall): string => `wherry-cni-${config.name}`;

function folderOf({ config: { name, dataDir } }: NetworkCall): string {
  return join(
    typeof dataDir === "string" && dataDir !== "" ? dataDir : "/var/lib/wherry/cni",
    name,
  );
}

function checkCall({ ifName, netns }: PluginCall): void {
  checkNamespace(netns);
  if (ifName !== "eth0")
    throw new CniError("invalidEnvironment", `CNI_IFNAME must be eth0, not ${ifName}`);
}

/** The ranges of the node: those that the runtime tells, or those of the configuration. */
function readRanges({ config }: NetworkCall): readonly Cidr[] {
  const { ipRanges } = config.runtimeConfig ?? {};
  const told = Array.isArray(ipRanges)
    ? (ipRanges as unknown[]).flat().map((one) => String((one as { subnet?: unknown }).subnet))
    : [];
  const text = told.length > 0 ? told.join(",") : config.podCidr;
  const ranges = parsePodRanges(typeof text === "string" ? text : "");
  if (ranges.length === 0)
    throw new CniError("invalidConfig", "the configuration has no podCidr, such as 10.244.1.0/24");
  return ranges;
}

async function prepareNode(ranges: readonly Cidr[], folder: string): Promise<void> {
  await enableForwarding(
    ranges.map(({ ip }) => ip.version),
    join(folder, "network-settings.json"),
  );
  await runNft(podRules).catch((error: Error) => {
    process.stderr.write(`pods can send from addresses that are not theirs: ${error.message}\n`);
  });
}
