import type { Endpoint } from "../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { type IpFamily, readAddress } from "./ip-family.ts";

/** Where traffic of a port can go to. */
export interface ProxiedEndpoint {
  readonly address: string;
  readonly port: number;
  /** Whether it is on this node. */
  readonly isLocal: boolean;
  readonly isReady: boolean;
  readonly isServing: boolean;
  readonly isTerminating: boolean;
  readonly forZones: readonly string[];
  readonly forNodes: readonly string[];
}

/** The endpoints of a service by the keys of its ports. */
export type EndpointsByPort = ReadonlyMap<string, readonly ProxiedEndpoint[]>;

/** The key of a port among the endpoints of its service. */
export const portKey = (port: {
  readonly family: IpFamily;
  readonly name: string;
  readonly protocol: string;
}): string => `${port.family}/${port.protocol}/${port.name}`;

/** The endpoints in the slices of a service, as a node sees them, in an order that does not depend on the slices'. */
export function proxiedEndpoints(
  slices: readonly EndpointSlice[],
  nodeName: string,
): EndpointsByPort {
  const ports = new Map<string, Map<string, ProxiedEndpoint>>();
  for (const { addressType, endpoints, ports: slicePorts } of slices) {
    if (addressType !== "IPv4" && addressType !== "IPv6") continue;
    for (const { name = "", protocol = "TCP", port } of slicePorts ?? []) {
      // Without a number all ports are meant, which no service of ours has.
      if (!port) continue;
      const key = portKey({ family: addressType, name, protocol });
      const found = ports.get(key) ?? new Map<string, ProxiedEndpoint>();
      ports.set(key, found);
      for (const endpoint of endpoints ?? []) addEndpoint(found, endpoint, { port, nodeName });
    }
  }
  return new Map(
    [...ports].map(([key, found]) => [
      key,
      [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint),
    ]),
  );
}

function addEndpoint(
  found: Map<string, ProxiedEndpoint>,
  { addresses, conditions, hints, nodeName }: Endpoint,
  at: { readonly port: number; readonly nodeName: string },
): void {
  const address = readAddress(addresses?.[0] ?? "")?.address;
  if (address === undefined) return;
  const isTerminating = conditions?.terminating ?? false;
  const key = `${address}:${at.port}`;
  // While an endpoint moves, two slices have it; and a new pod may have the address of one that is ending.
  if (found.has(key) && isTerminating) return;
  found.set(key, {
    ...{ address, port: at.port, isTerminating },
    isLocal: nodeName !== undefined && nodeName === at.nodeName,
    isReady: conditions?.ready ?? true,
    isServing: conditions?.serving ?? true,
    forZones: (hints?.forZones ?? []).map(({ name }) => name),
    forNodes: (hints?.forNodes ?? []).map(({ name }) => name),
  });
}
