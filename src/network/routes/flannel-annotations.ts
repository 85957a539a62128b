import type { Node } from "../../api/core/v1/node/node.ts";
import { formatIp, parseIp } from "../../schema/values/ip.ts";

/** How a node can be reached through VXLAN, for one family of addresses. */
export interface Tunnel {
  /** The hardware address of its VXLAN device. */
  readonly mac: string;
  /** The address to which packets are sent. */
  readonly to: string;
}

/** What a node says of its network, in the annotations of flannel. */
export interface FlannelNode {
  /** `vxlan`, or another way of flannel; undefined if it does not say. */
  readonly backend?: string | undefined;
  /** Whether it sends plain packets to nodes on its own link, as ours do. */
  readonly routesOnLink: boolean;
  readonly tunnels: ReadonlyMap<4 | 6, Tunnel>;
}

/** Reads the annotations of a node, which it has written itself: what is invalid is left out. */
export function readFlannel({ metadata }: Node): FlannelNode {
  const annotations = metadata.annotations ?? {};
  const read = (name: string): string | undefined => annotations[`${prefix}${name}`];
  const backend = read("backend-type");
  const tunnels = new Map<4 | 6, Tunnel>();
  for (const version of families) {
    const { data, address } = names[version];
    const mac = macOf(read(data));
    const to = parseIp(read(`${address}-overwrite`) ?? read(address) ?? "");
    if (backend === "vxlan" && mac !== undefined && to?.version === version && !to.zone)
      tunnels.set(version, { mac, to: formatIp(to) });
  }
  const routesOnLink = backend !== "vxlan" || annotations[directRouting] === "true";
  return { backend, routesOnLink, tunnels };
}

/** The annotations by which others reach a node of ours; null removes one. */
export function flannelAnnotations(
  tunnels: ReadonlyMap<4 | 6, Tunnel>,
): Readonly<Record<string, string | null>> {
  const annotations: Record<string, string | null> = {
    [`${prefix}kube-subnet-manager`]: "true",
    [`${prefix}backend-type`]: "vxlan",
    [directRouting]: "true",
  };
  for (const version of families) {
    const { data, address } = names[version];
    const tunnel = tunnels.get(version);
    annotations[`${prefix}${data}`] = tunnel
      ? JSON.stringify({ VNI: vxlanId, VtepMAC: tunnel.mac })
      : null;
    annotations[`${prefix}${address}`] = tunnel?.to ?? null;
  }
  return annotations;
}

export const vxlanId = 1;
export const families = [4, 6] as const;

const prefix = "flannel.alpha.coreos.com/";
/** A node of flannel has no such annotation: it expects packets from the tunnel. */
const directRouting = "wherry.dev/direct-routing";
const names = {
  4: { data: "backend-data", address: "public-ip" },
  6: { data: "backend-v6-data", address: "public-ipv6" },
} as const;

/** The hardware address in a node's data; undefined if it is not for our network. */
function macOf(text: string | undefined): string | undefined {
  try {
    const { VNI, VtepMAC } = JSON.parse(text ?? "null") as { VNI?: unknown; VtepMAC?: unknown };
    if (VNI !== vxlanId || typeof VtepMAC !== "string") return undefined;
    return /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(VtepMAC) ? VtepMAC.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
