import type { Node } from "../../api/core/v1/node/node.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { type EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { contains, parseAddress, type Subnet } from "../../engine/network/ipv4.ts";

/** A node of this machine. */
export interface BoxAddress {
  readonly name: string;
  readonly address: string;
}

export interface BalancedTraffic {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
  readonly boxes: readonly BoxAddress[];
  /** The range of the load balancers' addresses. */
  readonly range: Subnet;
}

/**
 * The addresses of load balancers, and the address of the box that gets the traffic of each: the first one that is
 * ready and, for a service whose traffic must stay on the node where it arrives, has an endpoint.
 */
export function planBalancerRoutes(traffic: BalancedTraffic): ReadonlyMap<string, string> {
  const { services, slices, nodes, boxes, range } = traffic;
  const ready = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
  const routes = new Map<string, string>();
  for (const service of services) {
    const addresses = balancedAddresses(service, range);
    if (addresses.length === 0) continue;
    const serving =
      service.spec.externalTrafficPolicy === "Local" ? nodesWithEndpoints(service, slices) : ready;
    const box = boxes.find(({ name }) => ready.has(name) && serving.has(name));
    if (box) for (const address of addresses) routes.set(address, box.address);
  }
  return routes;
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

const balancedAddresses = ({ spec, status }: Service, range: Subnet): readonly string[] =>
  spec.type !== "LoadBalancer"
    ? []
    : (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "" }) => {
        const address = parseAddress(ip);
        return address !== undefined && contains(range, address) ? [ip] : [];
      });

/** The nodes with a ready endpoint of a service. */
function nodesWithEndpoints(
  { metadata }: Service,
  slices: readonly EndpointSlice[],
): ReadonlySet<string | undefined> {
  const own = slices.filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace &&
      slice.metadata.labels?.[serviceNameLabel] === metadata.name,
  );
  return new Set(
    own.flatMap(({ endpoints = [] }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .map(({ nodeName }) => nodeName),
    ),
  );
}
