import {
  formatAddress,
  formatSubnet,
  overlaps,
  parseAddress,
  parseSubnet,
  type Subnet,
} from "../../engine/network/ipv4.ts";
import { ipv6Ranges } from "./ipv6-ranges.ts";

/** The addresses of a cluster whose nodes are boxes. */
export interface ClusterRanges {
  /** The range of node addresses. */
  readonly nodes: string;
  /** The range of pod addresses, of which each node has a part. */
  readonly pods: string;
  /**
   * The range of the services' addresses, which no other cluster of this machine has; absent for the default one, in
   * records of clusters that were created before each had its own.
   */
  readonly services?: string | undefined;
  /** The machine's address, where nodes reach the API server: the first of the nodes' range. */
  readonly gateway: string;
  /** The prefix of its addresses of IPv6, if it has both families. */
  readonly ipv6?: string | undefined;
}

/** A row of `ip -json route`, as far as it matters. */
export interface RouteRow {
  readonly dst?: string;
}

/** A row of `ip -json address`, as far as it matters. */
export interface AddressRow {
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number }[];
}

export interface TakenRanges {
  readonly routes: readonly RouteRow[];
  readonly addresses: readonly AddressRow[];
  /** Further ranges, such as those of other clusters. */
  readonly ranges: readonly string[];
}

/**
 * Chooses ranges for a cluster that overlap nothing that the machine has an address in or a route to. Undefined if
 * nothing is free.
 */
export function chooseRanges(taken: TakenRanges): ClusterRanges | undefined {
  const used = [
    ...taken.routes.map(({ dst = "default" }) => dst),
    ...taken.addresses.flatMap(({ addr_info = [] }) =>
      addr_info.map(({ local = "", prefixlen = 32 }) => `${local}/${prefixlen}`),
    ),
    ...taken.ranges,
  ].flatMap(asSubnet);
  const isFree = (range: Subnet): boolean => !used.some((other) => overlaps(range, other));
  const own = candidates().find(([nodes, pods]) => isFree(nodes) && isFree(pods));
  const services = serviceCandidates().find(isFree);
  if (!own || !services) return undefined;
  const [nodes, pods] = own;
  return {
    ...{ nodes: formatSubnet(nodes), pods: formatSubnet(pods), services: formatSubnet(services) },
    gateway: formatAddress(nodes.base + 1),
  };
}

/** The address of a node by its number, which counts from 0. */
export function nodeAddress({ nodes }: ClusterRanges, number: number): string {
  const subnet = parseSubnet(nodes);
  if (!subnet || number < 0 || number > 2 ** (31 - subnet.prefixLength) - 3)
    throw new Error(`${nodes} has no address for ${number + 1} nodes`);
  return formatAddress(subnet.base + 2 + number);
}

/** The range of the addresses of load balancers of each family: the upper half of the nodes' range, or a part of it. */
export function loadBalancerRanges({
  nodes,
  ipv6,
}: Pick<ClusterRanges, "nodes" | "ipv6">): readonly string[] {
  const subnet = parseSubnet(nodes);
  if (!subnet) throw new Error(`${nodes} is not a range of IPv4`);
  const prefixLength = subnet.prefixLength + 1;
  const half = formatSubnet({ base: subnet.base + 2 ** (32 - prefixLength), prefixLength });
  return ipv6 === undefined ? [half] : [half, ipv6Ranges(ipv6).balancers];
}

/** The default route and routes of IPv6 overlap nothing. */
function asSubnet(text: string): readonly Subnet[] {
  const parsed = parseSubnet(parseAddress(text) === undefined ? text : `${text}/32`);
  return parsed && parsed.prefixLength > 0 ? [parsed] : [];
}

/**
 * Ranges to try: some in 10.0.0.0/8 that neither Docker, Podman nor Kubernetes use by default, then, where a private
 * network has all of that, of 172.16.0.0/12 and of the addresses for benchmarks.
 */
const candidates = (): readonly (readonly [nodes: Subnet, pods: Subnet])[] => [
  ...count(50).map((n) => [range(`10.199.${n}.0`, 24), range(`10.${200 + n}.0.0`, 16)] as const),
  ...count(6).map((n) => [range(`172.31.${n}.0`, 24), range(`172.${30 - n}.0.0`, 16)] as const),
  ...count(8).map((n) => [range(`198.19.${n}.0`, 24), range(`198.18.${32 * n}.0`, 19)] as const),
];

/** Ranges of services to try, from the default of the API server on. None of them is a candidate for nodes or pods. */
const serviceCandidates = (): readonly Subnet[] => [
  ...count(50).map((n) => range(`10.0.${n}.0`, 24)),
  ...count(50).map((n) => range(`172.31.${128 + n}.0`, 24)),
  ...count(50).map((n) => range(`198.19.${128 + n}.0`, 24)),
];

const count = (to: number): readonly number[] => Array.from({ length: to }, (_, n) => n);

const range = (address: string, prefixLength: number): Subnet => ({
  ...{ base: parseAddress(address) ?? 0, prefixLength },
});
