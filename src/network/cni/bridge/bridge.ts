import { existsSync } from "node:fs";
import { CniError } from "../../../cri/cni/cni-error.ts";
import {
  type CniAddress,
  type CniResult,
  type CniRoute,
  emptyResult,
} from "../../../cri/cni/cni-result.ts";
import { formatIp, masked, parseCidr } from "../../../schema/values/ip.ts";
import { type Delegate, findDelegate, type OwnProgram } from "../delegate.ts";
import { endMasquerade, endStaleMasquerades, masquerade } from "../masquerade.ts";
import { type CniPlugin, type NetworkCall, type PluginCall, validAttachments } from "../plugin.ts";
import { checkNamespace, deleteLink, isIpv6, readIp, runIp } from "../run-ip.ts";
import { type BridgeConfig, readBridgeConfig } from "./bridge-config.ts";
import { checkBridge } from "./check-bridge.ts";
import { ensureBridge, ensureGateway } from "./ensure-bridge.ts";
import { endMacGuard, endStaleMacGuards, guardMac } from "./mac-guard.ts";
import { configureInterface, createPort, type PodPort } from "./pod-port.ts";

/** Connects pods with a bridge of the node; their addresses are another plugin's. */
export function bridgePlugin(own: OwnProgram): CniPlugin {
  const ipamOf = (call: NetworkCall, type: unknown): Delegate | undefined =>
    type === undefined ? undefined : findDelegate(type, call, own);
  return {
    async add(call) {
      const config = readBridgeConfig(call);
      const ipam = ipamOf(call, config.ipamType);
      checkNamespace(call.netns);
      await ensureBridge(config);
      let port: PodPort | undefined;
      try {
        port = await createPort(config, call);
        const addresses = ipam && withGateways(await ipam.add(call), config);
        const ips = addresses?.ips ?? [];
        if (addresses) await configureInterface(port, addresses, config);
        else await runIp([`link set dev ${port.ifName} up`], port.netns);
        if (config.isGateway)
          for (const { gateway, address } of ips)
            if (gateway !== undefined)
              await ensureGateway(config, `${gateway}/${address.split("/")[1]}`);
        const interfaces = await describe(config, port);
        const [, , inPod] = interfaces;
        if (config.macspoofchk && inPod?.mac !== undefined)
          await guardMac(call, port.link, inPod.mac);
        if (config.ipMasq)
          await masquerade(
            call,
            ips.map(({ address }) => address),
          );
        return {
          interfaces,
          ips: ips.map((one) => ({ ...one, interface: 2 })),
          routes: addresses?.routes ?? [],
          dns: { ...addresses?.dns, ...call.config.dns },
        };
      } catch (error) {
        await undo(call, { config, ipam, port });
        throw error;
      }
    },
    async del(call) {
      const config = readBridgeConfig(call);
      await ipamOf(call, config.ipamType)?.del(call);
      await deleteLink(call.ifName, call.netns);
      if (config.macspoofchk) await endMacGuard(call);
      if (config.ipMasq) await endMasquerade(call);
    },
    async check(call) {
      const config = readBridgeConfig(call);
      checkNamespace(call.netns);
      await ipamOf(call, config.ipamType)?.check(call);
      await checkBridge(call, config);
    },
    async gc(call) {
      const config = readBridgeConfig({ ...call, args: {} });
      await ipamOf(call, config.ipamType)?.gc(call);
      const valid = validAttachments(call);
      if (!valid) return;
      await endStaleMasquerades(call.config.name, valid);
      await endStaleMacGuards(call.config.name, valid);
    },
    async status(call) {
      const config = readBridgeConfig({ ...call, args: {} });
      await ipamOf(call, config.ipamType)?.status(call);
    },
  };
}

/** What there is of an attachment that has failed. */
interface Begun {
  readonly config: BridgeConfig;
  readonly ipam: Delegate | undefined;
  readonly port: PodPort | undefined;
}

/** Without a port, the interface is another one's. */
async function undo(call: PluginCall, { config, ipam, port }: Begun): Promise<void> {
  const steps: readonly (() => Promise<void> | undefined)[] = [
    () => (port ? deleteLink(port.ifName, port.netns) : undefined),
    () => (port && ipam ? ipam.del(call) : undefined),
    () => (config.macspoofchk ? endMacGuard(call) : undefined),
    () => (config.ipMasq ? endMasquerade(call) : undefined),
  ];
  for (const step of steps) await step()?.catch(() => {});
}

/** The addresses of a delegate, with the gateways and the routes that the bridge adds. */
function withGateways(assigned: CniResult, config: BridgeConfig): CniResult {
  if (assigned.ips.length === 0)
    throw new CniError("internal", "IPAM plugin returned missing IP config");
  const ips = assigned.ips.map((one): CniAddress => {
    const gateway = one.gateway ?? (config.isGateway ? firstAddress(one.address) : undefined);
    const { address } = one;
    return { address, ...(gateway !== undefined && { gateway }) };
  });
  const missing = (all: string): CniRoute[] => {
    const isOther = isIpv6(all);
    if (!config.isDefaultGateway || assigned.routes.some(({ dst }) => dst === all)) return [];
    const gw = ips.find(({ address }) => isIpv6(address) === isOther)?.gateway;
    return gw === undefined ? [] : [{ dst: all, gw }];
  };
  const routes = [...assigned.routes, ...missing("0.0.0.0/0"), ...missing("::/0")];
  return { ...emptyResult, ips, routes, dns: assigned.dns };
}

function firstAddress(address: string): string | undefined {
  const cidr = parseCidr(address);
  if (!cidr) return undefined;
  const { ip } = masked(cidr);
  return formatIp({ version: ip.version, bits: ip.bits + 1n });
}

interface LinkRow {
  readonly ifname?: string;
  readonly address?: string;
  readonly mtu?: number;
}

async function describe(
  { bridge }: BridgeConfig,
  { link, ifName, netns }: PodPort,
): Promise<CniResult["interfaces"]> {
  const [ofNode, ofPod] = await Promise.all([
    readIp<LinkRow>(["link", "show"]),
    existsSync(netns) ? readIp<LinkRow>(["link", "show", "dev", ifName], netns) : [],
  ]);
  const named = (rows: readonly LinkRow[], name: string) => {
    const found = rows.find((row) => row.ifname === name);
    return {
      name,
      ...(found?.address !== undefined && { mac: found.address }),
      ...(found?.mtu !== undefined && { mtu: found.mtu }),
    };
  };
  const inPod = named(ofPod, ifName);
  return [named(ofNode, bridge), named(ofNode, link), { ...inPod, sandbox: netns }];
}
