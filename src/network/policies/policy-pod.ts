import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type Address, addressOf } from "./family.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";

/** What policies look at in a pod that has addresses of its own. */
export interface PolicyPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  /** Whether it is being deleted: it may be gone already. */
  readonly isTerminating: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: readonly Address[];
  readonly ports: readonly NamedPort[];
  /** Whether it runs on this node. */
  readonly isLocal: boolean;
}

export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly number: number;
}

/**
 * The pod as policies see it. There is none if it shares the network of its node, has no address yet, or has ended:
 * then the address may be that of another pod.
 */
export function policyPod(
  { metadata, spec, status }: Pod,
  nodeName: string,
): PolicyPod | undefined {
  if (spec.hostNetwork || status.phase === "Succeeded" || status.phase === "Failed")
    return undefined;
  const ips = status.podIPs?.length ? status.podIPs.map(({ ip }) => ip) : [status.podIP];
  const addresses = ips.flatMap((ip) => addressOf(ip ?? "") ?? []);
  if (addresses.length === 0) return undefined;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    createdAt: metadata.creationTimestamp ?? "",
    isTerminating: metadata.deletionTimestamp !== undefined,
    labels: metadata.labels ?? {},
    addresses,
    ports: namedPorts([...(spec.containers ?? []), ...sidecars(spec.initContainers ?? [])]),
    isLocal: spec.nodeName === nodeName,
  };
}

/** The first port of each name and protocol, as services find it. */
function namedPorts(containers: readonly Container[]): readonly NamedPort[] {
  const found = new Map<string, NamedPort>();
  for (const { ports = [] } of containers)
    for (const { name = "", protocol = "TCP", containerPort } of ports) {
      const key = `${protocol} ${name}`;
      if (name === "" || found.has(key) || !isProtocol(protocol)) continue;
      found.set(key, { name, protocol, number: containerPort });
    }
  return [...found.values()];
}

export const isProtocol = (text: string): text is Protocol =>
  text === "TCP" || text === "UDP" || text === "SCTP";

/** The init containers that run beside the others. */
const sidecars = (containers: readonly Container[]): readonly Container[] =>
  containers.filter(({ restartPolicy }) => restartPolicy === "Always");

/** A pod with no more than `policyPod` reads, for the cache of an informer. */
export function slimPod(pod: Pod): Pod {
  // A frozen object is shared with the server in this process: a copy would take more memory.
  if (Object.isFrozen(pod.metadata)) return pod;
  const { apiVersion, kind, metadata, spec, status } = pod;
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const { creationTimestamp, deletionTimestamp } = metadata;
  const { phase, podIP, podIPs } = status;
  return {
    ...{ apiVersion, kind },
    metadata: {
      ...{ name, namespace, uid, resourceVersion, labels },
      ...{ creationTimestamp, deletionTimestamp },
    },
    spec: {
      nodeName: spec.nodeName,
      hostNetwork: spec.hostNetwork,
      containers: withPorts(spec.containers ?? []),
      initContainers: withPorts(sidecars(spec.initContainers ?? [])),
    },
    status: { phase, podIP, podIPs },
  } as unknown as Pod;
}

const withPorts = (containers: readonly Container[]): readonly unknown[] =>
  containers.flatMap(({ name, restartPolicy, ports = [] }) => {
    const named = ports.filter((port) => port.name);
    return named.length === 0 ? [] : [{ name, restartPolicy, ports: named }];
  });
