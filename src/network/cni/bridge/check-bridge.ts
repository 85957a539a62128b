import { CniError } from "../../../cri/cni/cni-error.ts";
import type { CniInterface, CniResult } from "../../../cri/cni/cni-result.ts";
import { isMasqueraded } from "../masquerade.ts";
import type { PluginCall } from "../plugin.ts";
import { isIpv6, readIp } from "../run-ip.ts";
import type { BridgeConfig } from "./bridge-config.ts";

/** Throws if a pod is not connected as its result says. */
export async function checkBridge(call: PluginCall, config: BridgeConfig): Promise<void> {
  const { prevResult, netns, ifName } = call;
  if (!prevResult) throw new CniError("invalidConfig", "Required prevResult missing");
  const ofPod = prevResult.interfaces.find(
    (one) => one.name === ifName && (one.sandbox ?? "") !== "",
  );
  if (!ofPod) throw failed(`the result has no interface ${ifName}`);
  if (ofPod.sandbox !== netns)
    throw failed(`Sandbox in prevResult ${ofPod.sandbox} doesn't match configured netns: ${netns}`);
  const ofNode = prevResult.interfaces.filter(({ sandbox = "" }) => sandbox === "");
  await checkNode(ofNode, config);
  await checkPod(call, prevResult, ofPod);
  const own = prevResult.ips.map(({ address }) => address);
  if (config.ipMasq && !(await isMasqueraded(call, own)))
    throw failed("the rules that masquerade the pod are missing");
}

interface LinkRow {
  readonly ifname?: string;
  readonly address?: string;
  readonly master?: string;
  readonly linkinfo?: { readonly info_kind?: string };
  readonly addr_info?: readonly { readonly local: string; readonly prefixlen: number }[];
}

async function checkNode(
  expected: readonly CniInterface[],
  { bridge }: BridgeConfig,
): Promise<void> {
  const rows = await readIp<LinkRow>(["-details", "link", "show"]);
  const found = rows.find(({ ifname }) => ifname === bridge);
  if (!found) throw failed(`Interface name ${bridge} not found`);
  if (found.linkinfo?.info_kind !== "bridge")
    throw failed(`Interface ${bridge} does not have link type of bridge`);
  for (const { name } of expected) {
    const row = rows.find(({ ifname }) => ifname === name);
    if (!row) throw failed(`Interface name ${name} not found`);
    if (row.linkinfo?.info_kind === "veth" && row.master !== bridge)
      throw failed(`Interface ${name} is not connected with ${bridge}`);
  }
}

async function checkPod(
  { netns, ifName }: PluginCall,
  { ips, routes, interfaces }: CniResult,
  ofPod: CniInterface,
): Promise<void> {
  const [link] = await readIp<LinkRow>(["addr", "show", "dev", ifName], netns);
  if (!link) throw failed(`Interface name ${ifName} not found`);
  if (ofPod.mac !== undefined && link.address !== ofPod.mac)
    throw failed(
      `Interface ${ifName} Mac ${ofPod.mac} doesn't match container Mac: ${link.address}`,
    );
  const present = new Set(
    (link.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  );
  for (const { address, interface: index } of ips)
    if ((index === undefined || interfaces[index] === ofPod) && !present.has(address))
      throw failed(`Failed to match addr ${address} on interface ${ifName}`);
  const all = [
    ...(await readIp<{ readonly dst?: string }>(["-4", "route", "show", "table", "all"], netns)),
    ...(await readIp<{ readonly dst?: string }>(["-6", "route", "show", "table", "all"], netns)),
  ];
  for (const { dst } of routes)
    if (!all.some((route) => isSameRoute(route.dst ?? "", dst)))
      throw failed(`Route ${dst} not found`);
}

/** `ip` shortens default routes, and those to one address. */
function isSameRoute(shown: string, dst: string): boolean {
  if (shown === "default") return dst === "0.0.0.0/0" || dst === "::/0";
  return shown === dst || `${shown}/${isIpv6(shown) ? 128 : 32}` === dst;
}

const failed = (msg: string): CniError => new CniError("internal", msg);
