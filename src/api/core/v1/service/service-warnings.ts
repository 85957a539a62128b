import { getWarningsForCidr, getWarningsForIp } from "../../../../schema/values/ip.ts";
import { headless, type ServiceBody } from "./service-spec.ts";
import { topologyHintsAnnotation, topologyModeAnnotation } from "./service-validation.ts";

/** What to tell a client who wrote this service. */
export function serviceWarnings(service: ServiceBody): readonly string[] {
  const { metadata, spec } = service;
  const { externalIPs = [], loadBalancerIP = "", loadBalancerSourceRanges = [] } = spec;
  const warnings: string[] = [];
  if (metadata.annotations?.[topologyHintsAnnotation] !== undefined)
    warnings.push(
      `annotation ${topologyHintsAnnotation} is deprecated, please use ${topologyModeAnnotation} instead`,
    );
  if (spec.clusterIP && spec.clusterIP !== headless)
    warnings.push(...ofIps("spec.clusterIPs", spec.clusterIPs ?? []));
  const isHeadless = spec.type === "ClusterIP" && spec.clusterIP === headless;
  if (isHeadless) warnings.push(...ignoredWhenHeadless(service));
  warnings.push(...ofIps("spec.externalIPs", externalIPs));
  if (externalIPs.length > 0 && !isHeadless && spec.type !== "ExternalName")
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  if (loadBalancerIP !== "")
    warnings.push(...getWarningsForIp("spec.loadBalancerIP", loadBalancerIP));
  for (const [i, range] of loadBalancerSourceRanges.entries())
    warnings.push(...getWarningsForCidr(`spec.loadBalancerSourceRanges[${i}]`, range));
  if (spec.type === "ExternalName" && externalIPs.length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== "ExternalName" && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

/** What to tell a client who wrote the status of a service. */
export function serviceStatusWarnings({ status }: Pick<ServiceBody, "status">): readonly string[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
    ip ? getWarningsForIp(`status.loadBalancer.ingress[${i}]`, ip) : [],
  );
}

const ofIps = (path: string, ips: readonly string[]): readonly string[] =>
  ips.flatMap((ip, i) => getWarningsForIp(`${path}[${i}]`, ip));

function ignoredWhenHeadless({ spec }: ServiceBody): readonly string[] {
  const ignored = [
    ["loadBalancerIP", Boolean(spec.loadBalancerIP)],
    ["externalIPs", (spec.externalIPs ?? []).length > 0],
    ["SessionAffinity", spec.sessionAffinity !== "None"],
  ] as const;
  return ignored
    .filter(([, given]) => given)
    .map(([name]) => `spec.${name} is ignored for headless services`);
}
