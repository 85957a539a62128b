import type { At } from "../../../../schema/language/report.ts";
import {
  type Ip,
  isValidCidrForLegacyField,
  isValidIpForLegacyField,
  parseIpSloppy,
  unmap,
} from "../../../../schema/values/ip.ts";
import {
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidPortName,
  isValidPortNum,
} from "../../../../schema/values/names.ts";
import { validateLabels } from "../../../meta/v1/object-meta-validation.ts";
import { validateClusterIps } from "./service-cluster-ips.ts";
import {
  isExternallyAccessible,
  isHeadless,
  needsHealthCheck,
  type ServiceBody,
  type ServicePort,
  type ServiceSpec,
} from "./service-spec.ts";

export const topologyHintsAnnotation = "service.kubernetes.io/topology-aware-hints";
export const topologyModeAnnotation = "service.kubernetes.io/topology-mode";
const sourceRangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

const maxAffinitySeconds = 86400;

/** The rules of a service, new or updated; what an old one has stays valid in places. */
export function validateService(service: ServiceBody, old: ServiceBody | undefined, at: At): void {
  const { spec } = service;
  const here = at.child("spec");
  topologyAnnotations(service, at);
  ofType(service, here);
  ports(spec.ports ?? [], here.child("ports"));
  validateLabels(spec.selector, here.child("selector"));
  sessionAffinity(spec, here);
  validateClusterIps(service, old, at);
  externalIps(spec.externalIPs ?? [], old?.spec.externalIPs ?? [], here.child("externalIPs"));
  if (!spec.type) here.required("type");
  else if (!serviceTypes.includes(spec.type)) here.notSupported("type", spec.type, serviceTypes);
  nodePorts(spec, here.child("ports"));
  duplicatePorts(spec.ports ?? [], here.child("ports"));
  sourceRanges(service, old, at);
  allocateNodePorts(spec, at);
  validateLoadBalancerClass(spec, here);
  externalTraffic(service, here);
  internalTraffic(spec, here);
  const { trafficDistribution } = spec;
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution))
    here.notSupported("trafficDistribution", trafficDistribution, distributions);
}

const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const protocols = ["SCTP", "TCP", "UDP"];
const policies = ["Cluster", "Local"];

/** The class of a load balancer is a qualified name, and other services have none. */
export function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec, at: At): void {
  if (loadBalancerClass === undefined) return;
  if (type === "LoadBalancer")
    at.invalidEach("loadBalancerClass", loadBalancerClass, isQualifiedName(loadBalancerClass));
  else at.forbidden("loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
}

/** An address to which traffic can be sent: none of those with a special meaning. */
export function validateEndpointIp(text: string, at: At): void {
  const parsed = parseIpSloppy(text);
  if (!parsed) {
    at.invalid("", text, "must be a valid IP address");
    return;
  }
  const ip = unmap(parsed);
  if (ip.bits === 0n) at.invalid("", text, `may not be unspecified (${text})`);
  if (ip.version === 4 ? startsWith(ip, 127n, 8) : ip.bits === 1n)
    at.invalid("", text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (ip.version === 4 ? startsWith(ip, 0xa9fen, 16) : startsWith(ip, 0xfe80n >> 6n, 10))
    at.invalid("", text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  // Of an IPv6 multicast address only the scope counts, not the flags before it.
  const multicast =
    ip.version === 4
      ? startsWith(ip, 0xe00000n, 24)
      : startsWith(ip, 0xffn, 8) && ((ip.bits >> 112n) & 0xfn) === 2n;
  if (multicast)
    at.invalid("", text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

const startsWith = ({ version, bits }: Ip, prefix: bigint, length: number): boolean =>
  bits >> BigInt((version === 4 ? 32 : 128) - length) === prefix;

function topologyAnnotations({ metadata: { annotations = {} } }: ServiceBody, at: At): void {
  const hints = annotations[topologyHintsAnnotation];
  const mode = annotations[topologyModeAnnotation];
  if (hints === undefined || mode === undefined || hints === mode) return;
  at.child("metadata")
    .child("annotations")
    .key(topologyModeAnnotation)
    .invalid(
      "",
      mode,
      `must match annotations[${topologyHintsAnnotation}] when both are specified`,
    );
}

function ofType(service: ServiceBody, at: At): void {
  const { type, ports = [], clusterIPs = [] } = service.spec;
  if (ports.length === 0 && !isHeadless(service) && type !== "ExternalName") at.required("ports");
  if (type === "ExternalName") externalName(service.spec, at);
  else if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(service))
    at.child("clusterIPs")
      .index(0)
      .invalid("", clusterIPs[0], `may not be set to 'None' for ${type} services`);
}

function externalName(spec: ServiceSpec, at: At): void {
  const forbidden = "may not be set for ExternalName services";
  if ((spec.clusterIPs ?? []).length > 0) at.forbidden("clusterIPs", forbidden);
  if ((spec.ipFamilies ?? []).length > 0) at.forbidden("ipFamilies", forbidden);
  if (spec.ipFamilyPolicy !== undefined) at.forbidden("ipFamilyPolicy", forbidden);
  // A name may end in a dot to say that it is fully qualified.
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") at.required("externalName");
  else at.invalidEach("externalName", name, isDns1123Subdomain(name));
}

function ports(all: readonly ServicePort[], at: At): void {
  const names = new Set<string>();
  for (const [i, port] of all.entries()) {
    const here = at.index(i);
    const { name = "", protocol } = port;
    if (name !== "") {
      here.invalidEach("name", name, isDns1123Label(name));
      if (names.has(name)) here.duplicate("name", name);
      names.add(name);
    } else if (all.length > 1) here.required("name");
    here.invalidEach("port", port.port, isValidPortNum(port.port));
    if (!protocol) here.required("protocol");
    else if (!protocols.includes(protocol)) here.notSupported("protocol", protocol, protocols);
    targetPort(port.targetPort, here);
    if (port.appProtocol !== undefined)
      here.invalidEach("appProtocol", port.appProtocol, isQualifiedName(port.appProtocol));
  }
}

function targetPort(target: number | string, at: At): void {
  const messages = typeof target === "number" ? isValidPortNum(target) : isValidPortName(target);
  at.invalidEach("targetPort", target, messages);
}

function sessionAffinity(spec: ServiceSpec, at: At): void {
  const { sessionAffinity: affinity = "", sessionAffinityConfig: config } = spec;
  const known = ["ClientIP", "None"];
  if (affinity === "") at.required("sessionAffinity");
  else if (!known.includes(affinity)) at.notSupported("sessionAffinity", affinity, known);
  if (affinity === "None" && config)
    at.forbidden("sessionAffinityConfig", "must not be set when session affinity is None");
  if (affinity === "ClientIP") clientIpAffinity(config, at.child("sessionAffinityConfig"));
}

function clientIpAffinity(config: ServiceSpec["sessionAffinityConfig"], at: At): void {
  const detail = "when session affinity type is ClientIP";
  const seconds = config?.clientIP?.timeoutSeconds;
  if (!config) at.required("", detail);
  else if (!config.clientIP) at.required("clientIP", detail);
  else if (seconds === undefined) at.required("clientIP.timeoutSeconds", detail);
  else if (seconds <= 0 || seconds > maxAffinitySeconds)
    at.invalid(
      "clientIP.timeoutSeconds",
      seconds,
      `must be greater than 0 and less than ${maxAffinitySeconds}`,
    );
}

function externalIps(ips: readonly string[], validOld: readonly string[], at: At): void {
  for (const [i, ip] of ips.entries()) {
    const messages = isValidIpForLegacyField(ip, { strict: true, validOld });
    at.index(i).invalidEach("", ip, messages);
    if (messages.length === 0) validateEndpointIp(ip, at.index(i));
  }
}

function nodePorts({ type, ports = [] }: ServiceSpec, at: At): void {
  const used = new Set<string>();
  if (type === "ClusterIP")
    for (const [i, { nodePort }] of ports.entries())
      if (nodePort) at.index(i).forbidden("nodePort", "may not be used when `type` is 'ClusterIP'");
  for (const [i, { nodePort, protocol }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol}/${nodePort}`;
    if (used.has(key)) at.index(i).duplicate("nodePort", nodePort);
    used.add(key);
  }
}

function duplicatePorts(all: readonly ServicePort[], at: At): void {
  const used = new Set<string>();
  for (const [i, { port, protocol }] of all.entries()) {
    const key = `${protocol}/${port}`;
    if (used.has(key))
      at.index(i).duplicate("", {
        Name: "",
        Protocol: protocol,
        AppProtocol: null,
        Port: port,
        TargetPort: 0,
        NodePort: 0,
      });
    used.add(key);
  }
}

function sourceRanges(service: ServiceBody, old: ServiceBody | undefined, at: At): void {
  const { type, loadBalancerSourceRanges: ranges = [] } = service.spec;
  const forbidden = "may only be used when `type` is 'LoadBalancer'";
  if (ranges.length > 0) {
    const here = at.child("spec").child("LoadBalancerSourceRanges");
    if (type !== "LoadBalancer") here.forbidden("", forbidden);
    const validOld = (old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    for (const [i, range] of ranges.entries()) cidr(range.trim(), here.index(i), validOld);
    return;
  }
  const text = service.metadata.annotations?.[sourceRangesAnnotation];
  if (text === undefined) return;
  const here = at.child("metadata").child("annotations").key(sourceRangesAnnotation);
  if (type !== "LoadBalancer") here.forbidden("", forbidden);
  const changed = (old?.metadata.annotations?.[sourceRangesAnnotation] ?? "") !== text;
  if ((!old || changed) && text.trim() !== "")
    for (const range of text.trim().split(",")) cidr(range.trim(), here, []);
}

function cidr(text: string, at: At, validOld: readonly string[]): void {
  at.invalidEach("", text, isValidCidrForLegacyField(text, { strict: true, validOld }));
}

function allocateNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec, at: At): void {
  const given = allocateLoadBalancerNodePorts !== undefined;
  if (given && type !== "LoadBalancer")
    at.child("spec").forbidden(
      "allocateLoadBalancerNodePorts",
      "may only be used when `type` is 'LoadBalancer'",
    );
  if (!given && type === "LoadBalancer") at.required("allocateLoadBalancerNodePorts");
}

function externalTraffic(service: ServiceBody, at: At): void {
  const { externalTrafficPolicy: policy = "", healthCheckNodePort: port = 0 } = service.spec;
  if (!isExternallyAccessible(service)) {
    if (policy !== "")
      at.invalid(
        "externalTrafficPolicy",
        policy,
        "may only be set for externally-accessible services",
      );
  } else if (policy === "") at.required("externalTrafficPolicy");
  else if (!policies.includes(policy)) at.notSupported("externalTrafficPolicy", policy, policies);

  if (needsHealthCheck(service)) {
    if (port === 0) at.required("healthCheckNodePort");
    else at.invalidEach("healthCheckNodePort", port, isValidPortNum(port));
  } else if (port !== 0)
    at.invalid(
      "healthCheckNodePort",
      port,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
}

function internalTraffic({ type = "", internalTrafficPolicy: policy }: ServiceSpec, at: At): void {
  if (policy === undefined) {
    if (["NodePort", "LoadBalancer", "ClusterIP"].includes(type))
      at.required("internalTrafficPolicy");
  } else if (!policies.includes(policy)) at.notSupported("internalTrafficPolicy", policy, policies);
}
