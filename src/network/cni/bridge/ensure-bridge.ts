import { writeFile } from "node:fs/promises";
import { CniError } from "../../../cri/cni/cni-error.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { type Cidr, formatCidr, masked, parseCidr } from "../../../schema/values/ip.ts";
import { readIp, runIp } from "../run-ip.ts";
import type { BridgeConfig } from "./bridge-config.ts";

/** Creates the bridge, unless it is there, and sets it up. */
export async function ensureBridge(config: BridgeConfig): Promise<void> {
  const { bridge: name, mtu, promiscMode, vlan } = config;
  if (!(await readBridge(name))) {
    const options = `${vlan === 0 ? "" : " vlan_filtering 1"}`;
    // Another process may create it at the same time.
    await runIp([
      `link add name ${name}${mtu === undefined ? "" : ` mtu ${mtu}`} type bridge${options}`,
    ]).catch(async (error: unknown) => {
      if (!(await readBridge(name))) throw error;
    });
    await writeFile(`/proc/sys/net/ipv6/conf/${name}/accept_ra`, "0").catch(() => {});
  } else if (vlan !== 0) await runIp([`link set dev ${name} type bridge vlan_filtering 1`]);
  await runIp([`link set dev ${name}${promiscMode ? " promisc on" : ""} up`]);
}

/** Gives the bridge the address of the node in a network of its pods, and lets packets pass the node. */
export async function ensureGateway(config: BridgeConfig, address: string): Promise<void> {
  const wanted = parseCidr(address);
  if (!wanted) throw new CniError("internal", `invalid gateway ${address}`);
  const name = await gatewayInterface(config);
  const present = await readAddresses(name);
  const family = wanted.ip.version;
  if (!present.some((one) => formatCidr(one) === formatCidr(wanted))) {
    const others = present.filter(
      (one) => one.ip.version === family && (family === 4 || overlaps(one, wanted)),
    );
    if (others.length > 0 && !config.forceAddress)
      throw new CniError(
        "internal",
        `${JSON.stringify(name)} already has an IP address different from ${address}`,
      );
    await runIp([
      ...others.map((one) => `addr del ${formatCidr(one)} dev ${name}`),
      `addr replace ${address} dev ${name}${family === 6 ? " nodad" : ""}`,
    ]);
    await keepHardwareAddress(name);
  }
  await writeFile(
    `/proc/sys/net/${family === 4 ? "ipv4/ip_forward" : "ipv6/conf/all/forwarding"}`,
    "1",
  );
}

/** Where pods find the gateway: on the bridge, or on an interface of it in their VLAN. */
async function gatewayInterface({ bridge, vlan }: BridgeConfig): Promise<string> {
  if (vlan === 0) return bridge;
  const name = `${bridge}.${vlan}`;
  if ((await readIp(["link", "show", "dev", name])).length === 0)
    await runIp([`link add link ${bridge} name ${name} type vlan id ${vlan}`]).catch(
      async (error: unknown) => {
        if ((await readIp(["link", "show", "dev", name])).length === 0) throw error;
      },
    );
  await runBridge(["vlan", "add", "dev", bridge, "vid", String(vlan), "self"]);
  await runIp([`link set dev ${name} up`]);
  return name;
}

/** Otherwise it changes with the pods: a bridge takes the lowest of its ports. */
async function keepHardwareAddress(name: string): Promise<void> {
  const [link] = await readIp<{ readonly address?: string }>(["link", "show", "dev", name]);
  if (link?.address !== undefined) await runIp([`link set dev ${name} address ${link.address}`]);
}

/** False if there is no such interface; throws if it is none of this kind. */
async function readBridge(name: string): Promise<boolean> {
  const [link] = await readIp<{ readonly linkinfo?: { readonly info_kind?: string } }>([
    ...["-details", "link", "show", "dev", name],
  ]);
  if (link && link.linkinfo?.info_kind !== "bridge")
    throw new CniError("internal", `${JSON.stringify(name)} already exists but is not a bridge`);
  return link !== undefined;
}

async function readAddresses(name: string): Promise<readonly Cidr[]> {
  const [link] = await readIp<{
    readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number }[];
  }>(["addr", "show", "dev", name]);
  return (link?.addr_info ?? [])
    .map(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`))
    .filter((one) => one !== undefined);
}

function overlaps(a: Cidr, b: Cidr): boolean {
  const prefix = Math.min(a.prefix, b.prefix);
  return formatCidr(masked({ ...a, prefix })) === formatCidr(masked({ ...b, prefix }));
}

const runBridge = (args: readonly string[]): Promise<string> => mustRun("bridge", args);
