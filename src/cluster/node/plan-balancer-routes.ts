import type { Node } from "../../api/core/v1/node/node.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { type EndpointSlice, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { type Cidr, contains, formatIp, type Ip, parseIp } from "../../schema/values/ip.ts";

/** A node of this machine. */
export interface BoxAddress {
  readonly name: string;
  readonly address: string;
  /** Its address of the other family, if it has both. */
  readonly ipv6?: { readonly address: string } | undefined;
}

export interface BalancedTraffic {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
  readonly boxes: readonly BoxAddress[];
  /** The ranges of the load balancers' addresses. */
  readonly ranges: readonly Cidr[];
}

/**
 * The addresses of load balancers, and the address of the box that gets the traffic of each: the first one that is
 * ready and, for a service whose traffic must stay on the node where it arrives, has an endpoint.
 */
export function planBalancerRoutes(traffic: BalancedTraffic): ReadonlyMap<string, string> {
  const { services, slices, nodes, boxes, ranges } = traffic;
  const ready = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
  const routes = new Map<string, string>();
  for (const service of services)
    for (const ip of balancedAddresses(service, ranges)) {
      const serving =
        service.spec.externalTrafficPolicy === "Local"
          ? nodesWithEndpoints(service, slices, ip.version)
          : ready;
      const box = boxes.find(({ name }) => ready.has(name) && serving.has(name));
      const via = ip.version === 4 ? box?.address : box?.ipv6?.address;
      if (via !== undefined) routes.set(formatIp(ip), via);
    }
  return routes;
}

/** Whether a node is ready. */
export const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

const balancedAddresses = ({ spec, status }: Service, ranges: readonly Cidr[]): readonly Ip[] =>
  spec.type !== "LoadBalancer"
    ? []
    : (status?.loadBalancer?.ingress ?? []).flatMap(({ ip: text = "" }) => {
        const ip = parseIp(text);
        return ip && ranges.some((range) => contains(range, ip)) ? [ip] : [];
      });

/** The nodes with a ready endpoint of a service. */
function nodesWithEndpoints(
  { metadata }: Service,
  slices: readonly EndpointSlice[],
  version: Ip["version"],
): ReadonlySet<string | undefined> {
  const own = slices.filter(
    (slice) =>
      slice.addressType === `IPv${version}` &&
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
