import type { Service } from "../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { chooseEndpoints, type NodePlace } from "./choose-endpoints.ts";
import { type Frontend, frontends } from "./frontends.ts";
import { type ProxiedEndpoint, portKey, proxiedEndpoints } from "./proxied-endpoints.ts";
import { healthCheckPort, type ProxiedPort, proxiedPorts } from "./proxied-port.ts";

/** Where a node sends the traffic of a service. */
export interface ProxiedService {
  readonly frontends: readonly Frontend[];
  /** All endpoints of each port, with those that traffic does not go to. */
  readonly ports: readonly (readonly [ProxiedPort, readonly ProxiedEndpoint[]])[];
  /** Where load balancers check whether this node has ready endpoints. */
  readonly healthCheckPort: number | undefined;
  /** The number of ready endpoints on this node, counted by their addresses. */
  readonly localReady: number;
}

/** Where a node sends the traffic of a service, as its endpoint slices are. */
export function proxiedService(
  service: Service,
  slices: readonly EndpointSlice[],
  node: NodePlace,
): ProxiedService {
  const byPort = proxiedEndpoints(slices, node.name);
  const ports = proxiedPorts(service).map(
    (port) => [port, byPort.get(portKey(port)) ?? []] as const,
  );
  const ready = new Set<string>();
  for (const [, endpoints] of ports)
    for (const { address, isLocal, isReady } of endpoints)
      if (isLocal && isReady) ready.add(address);
  return {
    ports,
    frontends: ports.flatMap(([port, endpoints]) =>
      frontends(port, chooseEndpoints(endpoints, port, node)),
    ),
    healthCheckPort: ports.length > 0 ? healthCheckPort(service) : undefined,
    localReady: ready.size,
  };
}
