import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { ConnectedPod, NetworkedPod, PodNetwork } from "../../cri/pod-network.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import type { Cidr } from "../../schema/values/ip.ts";
import { runNft } from "../run-nft.ts";
import { readBandwidth } from "./bandwidth.ts";
import { connectPod, disconnectPod } from "./connect-pod.ts";
import { endBridge } from "./former-bridge.ts";
import type { MappedPod } from "./host-port-rules.ts";
import { HostPorts } from "./host-ports.ts";
import { enableForwarding } from "./node-settings.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { limiterName, linkName, podLinkGroup, routeCommands } from "./pod-link.ts";
import { parsePodRanges } from "./pod-ranges.ts";
import { podRules } from "./pod-rules.ts";
import { podMtu } from "./uplink-mtu.ts";

export interface RoutedNetworkOptions {
  /** The ranges of pod addresses, separated by commas; undefined until the cluster assigns them. */
  readonly podCidr?: string | undefined;
  /** Where the addresses of pods are recorded. */
  readonly folder: string;
  readonly log: Log;
}

/**
 * Connects each pod of a node by a pair of interfaces and a route to its address; there is no bridge. All that it sends
 * goes through the node, which forwards it. If the node gets another range, pods keep the addresses that they have.
 */
export function routedNetwork({ podCidr = "", folder, log }: RoutedNetworkOptions): PodNetwork {
  let ranges = parsePodRanges(podCidr);
  const owner = `wherry-${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 16)}`;
  let prepared: Promise<void> | undefined;
  let opened: Promise<PodAddresses> | undefined;
  const hostPorts = new HostPorts();
  const open = (): Promise<PodAddresses> => {
    opened ??= PodAddresses.open(folder);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  /** What the node needs before the first pod; again if it gets another range. */
  const prepare = (current: readonly Cidr[]): Promise<void> => {
    prepared ??= prepareNode(current, join(dirname(folder), "network-settings.json"), log);
    prepared.catch(() => {
      prepared = undefined;
    });
    return prepared;
  };
  return {
    problem: async () => (ranges.length === 0 ? noRange : undefined),
    setRange(podCidrs) {
      const assigned = parsePodRanges(podCidrs);
      if (assigned.length === 0) return;
      ranges = assigned;
      prepared = undefined;
    },
    async takeOver(pods, damaged) {
      const addresses = await open();
      const kept = new Set([...pods.map(({ sandboxId }) => sandboxId), ...damaged]);
      const links = await removeOthers(kept, owner);
      for (const id of addresses.owners()) if (!kept.has(id)) await addresses.release(id);
      await restoreRoutes(pods.filter(({ sandboxId }) => links.has(linkName(sandboxId))));
      await endBridge(log);
      const mapped = pods.map((pod) => [pod.sandboxId, mappedPod(pod, pod.ips)] as const);
      await hostPorts.takeOver(new Map(mapped)).catch(warnOf(log, "host ports do not work"));
    },
    async add(pod) {
      const current = ranges;
      if (current.length === 0) throw new Error(noRange);
      const bandwidth = readBandwidth(pod.config.annotations);
      const [addresses] = await Promise.all([open(), prepare(current)]);
      const { sandboxId, namespace } = pod;
      const ips: string[] = [];
      for (const range of current) ips.push(await addresses.allocate(range, sandboxId));
      await connectPod({ sandboxId, namespace, addresses: ips, mtu: podMtu(), owner }, bandwidth);
      await hostPorts.add(sandboxId, mappedPod(pod, ips));
      return ips;
    },
    async remove({ sandboxId }) {
      const addresses = await open();
      await hostPorts.remove(sandboxId);
      await disconnectPod(sandboxId);
      // At last: nothing has the address any more.
      await addresses.release(sandboxId);
    },
  };
}

const noRange = "the node has no range of pod addresses yet";

const mappedPod = ({ config }: NetworkedPod, addresses: readonly string[]): MappedPod => ({
  ...{ addresses, mappings: config.portMappings ?? [] },
});

const warnOf =
  (log: Log, message: string) =>
  (error: unknown): void =>
    log.warn(message, { problem: errorMessage(error) });

async function prepareNode(ranges: readonly Cidr[], record: string, log: Log): Promise<void> {
  await enableForwarding(
    ranges.map(({ ip }) => ip.version),
    record,
  );
  await runNft(podRules).catch(warnOf(log, "pods can send from addresses that are not theirs"));
}

/** A row of `ip -json link`, as far as it matters. */
interface LinkRow {
  readonly ifname?: string;
  readonly ifalias?: string;
}

/** Removes interfaces of pods that are gone; resolves with the names of those that stay. */
async function removeOthers(
  kept: ReadonlySet<string>,
  owner: string,
): Promise<ReadonlySet<string>> {
  const output = await mustRun("ip", ["-json", "link", "show", "group", String(podLinkGroup)]);
  // A row of another group is an empty object.
  const rows = JSON.parse(output || "[]") as readonly LinkRow[];
  const names = rows.flatMap(({ ifname, ifalias }) =>
    ifname !== undefined && ifalias === owner ? [ifname] : [],
  );
  const known = new Set([...kept].flatMap((id) => [linkName(id), limiterName(id)]));
  const others = names.filter((name) => !known.has(name));
  if (others.length > 0)
    await runChild("ip", ["-force", "-batch", "-"], {
      input: others.map((name) => `link delete dev ${name}\n`).join(""),
    });
  return new Set(names.filter((name) => known.has(name)));
}

/** Restores routes that others may have removed. */
async function restoreRoutes(pods: readonly ConnectedPod[]): Promise<void> {
  const commands = pods.flatMap(({ sandboxId, ips }) =>
    routeCommands({ sandboxId, addresses: ips }),
  );
  if (commands.length > 0)
    await runChild("ip", ["-force", "-batch", "-"], { input: `${commands.join("\n")}\n` });
}
