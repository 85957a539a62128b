import { randomBytes } from "node:crypto";
import { CniError } from "../../../cri/cni/cni-error.ts";
import type { CniResult } from "../../../cri/cni/cni-result.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { isIpv6, readIp, runIp, setInNamespace } from "../run-ip.ts";
import type { BridgeConfig } from "./bridge-config.ts";

/** A pod's interface, and its other end at the bridge. */
export interface PodPort {
  readonly netns: string;
  readonly ifName: string;
  /** The end at the bridge. */
  readonly link: string;
}

/** Connects a network namespace with a bridge. An interface that is there already is an error. */
export async function createPort(
  config: BridgeConfig,
  { netns, ifName }: Pick<PodPort, "netns" | "ifName">,
): Promise<PodPort> {
  const { mtu, mac, hairpinMode, portIsolation, vlan, preserveDefaultVlan } = config;
  if ((await readIp(["link", "show", "dev", ifName], netns)).length > 0)
    throw new CniError(
      "internal",
      `container veth name (${JSON.stringify(ifName)}) already exists`,
    );
  const link = `veth${randomBytes(4).toString("hex")}`;
  const size = mtu === undefined ? "" : ` mtu ${mtu}`;
  const address = mac === undefined ? "" : ` address ${mac}`;
  const port = [
    ...(hairpinMode ? ["hairpin on"] : []),
    ...(portIsolation ? ["isolated on"] : []),
  ].join(" ");
  await runIp([
    `link add name ${link}${size} type veth peer name ${ifName}${size}${address} netns "${netns}"`,
    `link set dev ${link} master ${config.bridge} up`,
    ...(port === "" ? [] : [`link set dev ${link} type bridge_slave ${port}`]),
  ]);
  if (vlan !== 0) {
    if (!preserveDefaultVlan) await runBridge(["vlan", "del", "dev", link, "vid", "1"]);
    await runBridge(["vlan", "add", "dev", link, "vid", String(vlan), "pvid", "untagged"]);
  }
  return { netns, ifName, link };
}

/** Gives a pod's interface the addresses and routes of a result, and sets it up. */
export async function configureInterface(
  { netns, ifName }: PodPort,
  { ips, routes }: Pick<CniResult, "ips" | "routes">,
  { enabledad }: BridgeConfig,
): Promise<void> {
  const settings = { [`ipv4/conf/${ifName}/arp_notify`]: "1" };
  const hasIpv6 = ips.some(({ address }) => isIpv6(address));
  await setInNamespace(netns, {
    ...settings,
    ...(hasIpv6 && {
      // A namespace inherits that IPv6 is disabled.
      [`ipv6/conf/${ifName}/disable_ipv6`]: "0",
      "ipv6/conf/lo/disable_ipv6": "0",
      [`ipv6/conf/${ifName}/accept_dad`]: enabledad ? "1" : "0",
      [`ipv6/conf/${ifName}/keep_addr_on_down`]: "1",
    }),
  });
  await runIp(
    [
      ...ips.map(
        ({ address }) =>
          `addr add ${address} dev ${ifName}${isIpv6(address) && !enabledad ? " nodad" : ""}`,
      ),
      `link set dev ${ifName} up`,
      ...routes.map(({ dst, gw, mtu, advmss, priority, table, scope }) => {
        const via = gw ?? ips.find(({ address }) => isIpv6(address) === isIpv6(dst))?.gateway;
        const options = { mtu, advmss, metric: priority, table, scope };
        const given = Object.entries(options).flatMap(([name, value]) =>
          value === undefined ? [] : [` ${name} ${value}`],
        );
        return `route replace ${dst}${via === undefined || scope === 253 ? "" : ` via ${via}`} dev ${ifName}${given.join("")}`;
      }),
    ],
    netns,
  );
}

const runBridge = (args: readonly string[]): Promise<string> => mustRun("bridge", args);
