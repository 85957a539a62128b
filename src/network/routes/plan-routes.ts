import type { Node } from "../../api/core/v1/node/node.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  formatIp,
  type Ip,
  masked,
  parseCidr,
  parseIp,
} from "../../schema/values/ip.ts";
import { readFlannel, type Tunnel } from "./flannel-annotations.ts";
import { type InterfaceRow, linkTo } from "./own-network.ts";

export interface RoutesView {
  readonly nodeName: string;
  readonly nodes: readonly Node[];
  /** The interfaces of this node. */
  readonly interfaces: readonly InterfaceRow[];
  /** If others route to the pods of nodes, and of this one: the ranges of these nodes' addresses. */
  readonly routedNodes?: readonly Cidr[] | undefined;
}

/** How the pods of other nodes are reached, and what is not masqueraded. */
export interface RoutePlan {
  /** The ranges of this node's pods. */
  readonly own: readonly Cidr[];
  readonly routes: readonly NodeRoute[];
  /** Ranges that packets of pods reach with their own addresses. */
  readonly inside: readonly Cidr[];
  /** Nodes that cannot be reached, and why. */
  readonly unreachable: readonly { readonly node: string; readonly reason: string }[];
}

/** A route to the pods of another node: to its address on a link, or through a tunnel. */
export type NodeRoute = {
  readonly node: string;
  readonly range: Cidr;
} & ({ readonly via: string; readonly device: string } | { readonly tunnel: Tunnel });

/** Plans the routes of a node to the pods of all others. */
export function planRoutes({ nodeName, nodes, interfaces, routedNodes }: RoutesView): RoutePlan {
  const self = nodes.find(({ metadata }) => metadata.name === nodeName);
  const own = self ? podRanges(self) : [];
  const ownAddresses = self ? nodeAddresses(self) : [];
  const routes: NodeRoute[] = [];
  const unreachable: { node: string; reason: string }[] = [];
  const inside: Cidr[] = [...own, ...ownAddresses.map(host)];
  const taken = [...own, ...ownAddresses.map(host)];
  const others = nodes
    .filter(({ metadata }) => metadata.name !== nodeName)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const node of others) {
    const addresses = nodeAddresses(node);
    inside.push(...addresses.filter((ip) => linkTo(interfaces, ip) !== undefined).map(host));
    const isRouted = addresses.some((ip) => routedNodes?.some((range) => contains(range, ip)));
    // Beside routed nodes there may be simulated ones, whose pods nobody can reach.
    const isReached = !isRouted && (routedNodes === undefined || announces(node));
    for (const range of podRanges(node)) {
      const name = nameOf(node);
      if (taken.some((other) => overlaps(other, range))) {
        const reason = `its range ${formatCidr(range)} overlaps that of another node`;
        unreachable.push({ node: name, reason });
        continue;
      }
      taken.push(range);
      inside.push(range);
      if (!isReached) continue;
      const way = wayTo({ node, addresses, interfaces }, range);
      if ("reason" in way) unreachable.push({ node: name, ...way });
      else routes.push({ node: name, range, ...way });
    }
  }
  return { own, routes, inside, unreachable };
}

/** Whether a node says how its pods are reached. */
export const announces = (node: Node): boolean => readFlannel(node).backend !== undefined;

interface Neighbour extends Pick<RoutesView, "interfaces"> {
  readonly node: Node;
  readonly addresses: readonly Ip[];
}

type Way =
  | { readonly via: string; readonly device: string }
  | { readonly tunnel: Tunnel }
  | { readonly reason: string };

function wayTo({ node, addresses, interfaces }: Neighbour, { ip: { version } }: Cidr): Way {
  const { backend, routesOnLink, tunnels } = readFlannel(node);
  const address = addresses.find((one) => one.version === version);
  const device = address && linkTo(interfaces, address);
  if (address && device !== undefined && routesOnLink) return { via: formatIp(address), device };
  const tunnel = tunnels.get(version);
  if (tunnel) return { tunnel };
  if (!address) return { reason: `it has no InternalIP of IPv${version}` };
  return {
    reason:
      backend === undefined
        ? "routers are between, and it has not announced its end of a tunnel"
        : `routers are between, and its network is ${backend}`,
  };
}

/** The ranges of a node's pods. Ones that are too large to be of a node are left out. */
function podRanges({ spec }: Node): readonly Cidr[] {
  const { podCIDR, podCIDRs = podCIDR === undefined ? [] : [podCIDR] } = spec ?? {};
  return podCIDRs.flatMap((text) => {
    const range = parseCidr(text);
    return range && range.prefix >= shortestPrefix ? [masked(range)] : [];
  });
}

const shortestPrefix = 8;

const nameOf = ({ metadata }: Node): string => metadata.name ?? "";

/** The internal addresses of a node. */
export const nodeAddresses = ({ status }: Node): readonly Ip[] =>
  (status?.addresses ?? []).flatMap(({ type, address }) => {
    const ip = type === "InternalIP" ? parseIp(address) : undefined;
    return ip && ip.zone === undefined ? [ip] : [];
  });

const host = (ip: Ip): Cidr => ({ ip, prefix: ip.version === 4 ? 32 : 128 });

const overlaps = (a: Cidr, b: Cidr): boolean => contains(a, b.ip) || contains(b, a.ip);
