import type { Node } from "../../api/core/v1/node/node.ts";
import { servesDnsAnnotation } from "../../api/core/v1/node/node-annotations.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { managedByLabel, serviceNameLabel } from "../../api/discovery/v1/endpoint-slice.ts";
import { parseIp } from "../../schema/values/ip.ts";

/** The value of the label by which the controller knows its slices. */
export const dnsSliceManager = "cluster-dns-endpoints-controller.wherry.dev";

/** A slice has at most 1000 endpoints. More are of no use: each node has a DNS of its own, these are for the others. */
const mostEndpoints = 1000;

/** The slices of the service kube-dns with the nodes that serve it; none if it selects pods, or stands for a name. */
export function wantedDnsSlices(service: Service, nodes: readonly Node[]) {
  const { namespace, name = "", uid = "" } = service.metadata;
  const { selector = {}, clusterIP = "", type, ipFamilies = ["IPv4"], ports = [] } = service.spec;
  const isServedByNodes = Object.keys(selector).length === 0 && type !== "ExternalName";
  if (!isServedByNodes || clusterIP === "") return [];
  const serving = nodes
    .filter(({ metadata }) => metadata.annotations?.[servesDnsAnnotation] === "true")
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return ipFamilies.map((family) => ({
    metadata: {
      namespace,
      name: `${name}-nodes-${family.toLowerCase()}`,
      labels: {
        [serviceNameLabel]: name,
        [managedByLabel]: dnsSliceManager,
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name, uid }],
    },
    addressType: family,
    endpoints: serving.flatMap((node) => endpointOf(node, family) ?? []).slice(0, mostEndpoints),
    ports: ports.map(({ name = "", port, protocol, targetPort }) => ({
      ...{ name, protocol: protocol ?? "TCP" },
      port: typeof targetPort === "number" ? targetPort : port,
    })),
  }));
}

function endpointOf(node: Node, family: string) {
  const { name, uid } = node.metadata;
  const version = family === "IPv6" ? 6 : 4;
  const address = node.status?.addresses?.find(
    (one) => one.type === "InternalIP" && parseIp(one.address)?.version === version,
  )?.address;
  if (address === undefined) return undefined;
  const ready = isNodeReady(node);
  const zone = node.metadata.labels?.["topology.kubernetes.io/zone"];
  return {
    addresses: [address],
    conditions: { ready, serving: ready, terminating: false },
    nodeName: name,
    targetRef: { kind: "Node", name, uid },
    ...(zone !== undefined && { zone }),
  };
}

const nameOf = ({ metadata }: Node): string => metadata.name ?? "";
