import { overlaps, parseAddress, parseSubnet, type Subnet } from "../../engine/network/ipv4.ts";
import { mustRun } from "../../platform/run-child.ts";
import type { AddressRow, RouteRow } from "./choose-ranges.ts";
import { machineNetworks } from "./machine-networks.ts";

/** A route by which the machine reaches the services of a cluster: through a box, which has their rules. */
export interface ServiceRoute {
  /** The range of the services' addresses. */
  readonly range: string;
  /** The address of the box, and the machine's interface to it. */
  readonly address: string;
  readonly link: string;
}

/**
 * Gives the machine a route to services. Resolves with a warning, without a route, where the range overlaps something
 * else: another cluster with the same range, or a network that the machine is in.
 */
export async function routeServices(route: ServiceRoute): Promise<string | undefined> {
  const problem = serviceRouteProblem(route, await machineNetworks());
  if (problem === undefined) await mustRun("ip", serviceRouteCommand(route));
  return problem;
}

const serviceRouteCommand = ({ range, address, link }: ServiceRoute): readonly string[] => [
  ...["route", "replace", range, "via", address, "dev", link],
];

/** Gives the machine a route to services of IPv6, whose range is random: nothing else has it. */
export async function routeIpv6Services(route: ServiceRoute): Promise<void> {
  await mustRun("ip", ["-6", ...serviceRouteCommand(route)]);
}

interface MachineNetworks {
  readonly routes: readonly (RouteRow & { readonly dev?: string })[];
  readonly addresses: readonly AddressRow[];
}

/** Why there can be no route to services. */
export function serviceRouteProblem(
  { range, link }: Pick<ServiceRoute, "range" | "link">,
  { routes, addresses }: MachineNetworks,
): string | undefined {
  const services = parseSubnet(range);
  if (!services) return `this machine does not reach services: ${range} is not a range of IPv4`;
  const others = [
    ...routes.flatMap(({ dst = "default", dev }) => (dev === link ? [] : [dst])),
    ...addresses.flatMap(({ addr_info = [] }) =>
      addr_info.map(({ local = "", prefixlen = 32 }) => `${local}/${prefixlen}`),
    ),
  ];
  const taken = others.find((other) => asSubnets(other).some((one) => overlaps(one, services)));
  return taken === undefined
    ? undefined
    : `this machine does not reach services by their addresses: ${range} overlaps ${taken}, which it uses already; kubectl port-forward works`;
}

/** The default route overlaps nothing. */
function asSubnets(text: string): readonly Subnet[] {
  const subnet = parseSubnet(parseAddress(text) === undefined ? text : `${text}/32`);
  return subnet && subnet.prefixLength > 0 ? [subnet] : [];
}
