import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { Endpoint, EndpointPort } from "../../api/discovery/v1/endpoint.ts";
import { formatIp, parseIpSloppy } from "../../schema/values/ip.ts";
import { sortedSlicePorts } from "../endpoints/endpoint-order.ts";
import { hasEndpoint, isNamedBy, targetPortOf } from "../endpoints/pod-endpoint.ts";
import { podAddresses } from "../endpoints/service-subsets.ts";
import { hasClusterIp } from "../endpoints/services-of-pod.ts";

/** The address families; each has its own slices. */
export type AddressType = "IPv4" | "IPv6";

/** Endpoints that have the same ports, and so share slices. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface EndpointGroups {
  /** By their `portsKey`. */
  readonly groups: ReadonlyMap<string, EndpointGroup>;
  /** Errors of pods that were skipped, and need a retry. */
  readonly faults: readonly string[];
}

/** The label of nodes with their zone. */
export const zoneLabel = "topology.kubernetes.io/zone";

/** The endpoints of a service in one address family. */
export function endpointGroups(
  service: Service,
  pods: readonly Pod[],
  { type, nodes }: { readonly type: AddressType; readonly nodes: ReadonlyMap<string, Node> },
): EndpointGroups {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  const faults: string[] = [];
  for (const pod of pods) {
    if (!hasEndpoint(pod, { evenTerminating: true })) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const { nodeName = "" } = pod.spec;
    const node = nodes.get(nodeName);
    if (!node && !service.spec.publishNotReadyAddresses) {
      const { namespace, name } = service.metadata;
      faults.push(
        `skipping Pod ${pod.metadata.name} for Service ${namespace}/${name}: Node ${nodeName} Not Found`,
      );
      continue;
    }
    const endpoint = endpointOf(pod, service, { type, node });
    if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
  }
  return { groups, faults };
}

/** A key of ports that can share a slice, whatever their order. */
export const portsKey = (ports: readonly EndpointPort[]): string =>
  ports
    .map(({ name = null, protocol = null, port = null, appProtocol = null }) =>
      JSON.stringify([name, protocol, port, appProtocol]),
    )
    .sort()
    .join();

/** The address families of a service; both for a headless service that names none. */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = spec;
  const known = ipFamilies.filter((family) => family === "IPv4" || family === "IPv6");
  if (known.length > 0) return [...new Set(known)];
  if (!hasClusterIp({ spec } as Service)) return ["IPv4", "IPv6"];
  return [parseIpSloppy(clusterIP)?.version === 6 ? "IPv6" : "IPv4"];
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  const ports = (spec.ports ?? []).flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) }];
  });
  return sortedSlicePorts(ports);
}

function endpointOf(
  pod: Pod,
  service: Service,
  { type, node }: { readonly type: AddressType; readonly node: Node | undefined },
): Endpoint {
  const { namespace, name, uid, deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = !!service.spec.publishNotReadyAddresses || (serving && !terminating);
  const zone = node?.metadata.labels?.[zoneLabel];
  const version = type === "IPv6" ? 6 : 4;
  return {
    addresses: podAddresses(pod)
      .filter((ip) => ip.version === version)
      .map(formatIp)
      .sort(),
    conditions: { ready, serving, terminating },
    ...(isNamedBy(pod, service) && { hostname: pod.spec.hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
    ...(zone && { zone }),
  } as Endpoint;
}
