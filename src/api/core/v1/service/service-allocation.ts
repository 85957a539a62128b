import { sameValue } from "../../../../schema/language/validate.ts";
import type { IpFamily } from "./service-cluster-ips.ts";
import {
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  type ServiceBody,
  type ServiceDraft,
} from "./service-spec.ts";

/**
 * Brings clusterIPs in line with clusterIP where a client wrote only one of them. Before anybody
 * looks at them; `old` is absent at creation and when a stored service is read.
 */
export function normaliseClusterIps({ spec }: ServiceDraft, old?: ServiceBody): void {
  const { clusterIP = "" } = spec;
  if (!old) {
    if (clusterIP !== "" && none(spec.clusterIPs)) spec.clusterIPs = [clusterIP];
    return;
  }
  const before = old.spec.clusterIP ?? "";
  if (before === clusterIP) {
    if (none(spec.clusterIPs) && !none(old.spec.clusterIPs))
      spec.clusterIPs = [...(old.spec.clusterIPs ?? [])];
    return;
  }
  if (!sameValue(spec.clusterIPs, old.spec.clusterIPs)) return;
  if (clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

/** Keeps what was allocated before where an update leaves it out. */
export function patchAllocatedValues(service: ServiceDraft, old: ServiceBody): void {
  const { spec } = service;
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
    if (none(spec.clusterIPs) && old.spec.clusterIPs) spec.clusterIPs = [...old.spec.clusterIPs];
  }
  if (needsNodePort(old) && needsNodePort(service)) patchNodePorts(service, old);
  if (needsHealthCheck(old) && needsHealthCheck(service) && old.spec.healthCheckNodePort)
    spec.healthCheckNodePort ||= old.spec.healthCheckNodePort;
}

/**
 * Clears in an update what the service's type no longer has, unless the client changed that too; it
 * was allocated or filled in before, and is not the client's to clean up.
 */
export function dropTypeDependentFields(service: ServiceDraft, old: ServiceBody): void {
  const { spec, status } = service;
  const before = old.spec;
  if (needsClusterIp(old) && !needsClusterIp(service)) dropClusterIps(service, old);
  if (typeHasNodePorts(old) && !typeHasNodePorts(service) && noNewNodePorts(service, old))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheck(old) && !needsHealthCheck(service))
    dropUnchanged(spec, before, "healthCheckNodePort");
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropUnchanged(spec, before, "allocateLoadBalancerNodePorts");
    dropUnchanged(spec, before, "loadBalancerClass");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service))
    dropUnchanged(spec, before, "externalTrafficPolicy");
  // Taking a load balancer down takes its time, but clients need not see that.
  if (spec.type !== "LoadBalancer") status.loadBalancer = {};
}

function dropClusterIps({ spec }: ServiceDraft, { spec: before }: ServiceBody): void {
  if (spec.clusterIP === before.clusterIP && sameValue(spec.clusterIPs, before.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  dropUnchanged(spec, before, "ipFamilies");
  dropUnchanged(spec, before, "ipFamilyPolicy");
}

function dropUnchanged<T extends object>(spec: T, before: object, name: keyof T & string): void {
  if (sameValue(spec[name], (before as T)[name])) delete spec[name];
}

/** Whether each of its ports gets a port on the nodes. */
export const needsNodePort = ({ spec }: Pick<ServiceBody, "spec">): boolean =>
  spec.type === "NodePort" ||
  (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

export const otherFamily = (family: string): IpFamily => (family === "IPv4" ? "IPv6" : "IPv4");

const none = (list: readonly unknown[] | undefined): boolean => !list || list.length === 0;
const typeHasNodePorts = ({ spec }: Pick<ServiceBody, "spec">): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";

const nodePortsOf = ({ spec }: Pick<ServiceBody, "spec">): ReadonlySet<number> =>
  new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));

function noNewNodePorts(service: ServiceBody, old: ServiceBody): boolean {
  const before = nodePortsOf(old);
  return [...nodePortsOf(service)].every((port) => before.has(port));
}

/** By name; a node port that the client gave to another port stays there. */
function patchNodePorts(service: ServiceDraft, old: ServiceBody): void {
  const given = nodePortsOf(service);
  const before = new Map((old.spec.ports ?? []).map((port) => [port.name ?? "", port.nodePort]));
  for (const port of service.spec.ports ?? []) {
    const nodePort = before.get(port.name ?? "");
    if (!port.nodePort && nodePort && !given.has(nodePort)) port.nodePort = nodePort;
  }
}
