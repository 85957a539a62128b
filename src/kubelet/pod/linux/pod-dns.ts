import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { DnsConfig } from "../../../cri/linux-types.ts";
import { quote } from "../../../schema/values/quote.ts";
import { podText } from "../pod-text.ts";
import type { LinuxSettings, RecordEvent } from "./linux-settings.ts";
import {
  maxSearches,
  maxSearchLength,
  maxSearchList,
  maxServers,
  parseResolvConf,
} from "./resolv-conf.ts";

type DnsSettings = Pick<LinuxSettings, "clusterDomain" | "clusterDns" | "resolvConf" | "nodeIPs">;

/** The resolver configuration of a pod, by its policy. Records what had to be left out. */
export function podDns(pod: Pod, settings: DnsSettings, record: RecordEvent): DnsConfig {
  const { dnsConfig } = pod.spec;
  const byPolicy = policyDns(pod, settings, record);
  const whole = dnsConfig ? withOwn(byPolicy, dnsConfig) : byPolicy;
  return {
    servers: fittingServers(whole.servers, record),
    searches: fittingSearches(whole.searches, record),
    options: whole.options,
  };
}

function policyDns(pod: Pod, settings: DnsSettings, record: RecordEvent): DnsConfig {
  const { dnsPolicy, hostNetwork } = pod.spec;
  const ofNode = nodeDns(settings);
  if (dnsPolicy === "None") return { servers: [], searches: [], options: [] };
  const isHost = dnsPolicy === "Default" || (dnsPolicy === "ClusterFirst" && hostNetwork);
  if (isHost) return hostDns(ofNode, settings);
  const { clusterDns } = settings;
  if (clusterDns.length > 0)
    return {
      servers: clusterDns,
      searches: clusterSearches(pod, settings.clusterDomain, ofNode.searches),
      options: ["ndots:5"],
    };
  const missing = `kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.`;
  const event = { type: "Warning", reason: "MissingClusterDNS" } as const;
  record({ ...event, message: missing }, "node");
  record({ ...event, message: `pod: ${quote(podText(pod))}. ${missing}` }, "pod");
  return hostDns(ofNode, settings);
}

function nodeDns({ resolvConf = "" }: DnsSettings): DnsConfig {
  try {
    return parseResolvConf(resolvConf);
  } catch (error) {
    throw new Error(
      `Encountered error while parsing resolv conf file. Error: ${errorMessage(error)}`,
    );
  }
}

/** A kubelet that is told to use no resolver file disables lookups: nobody listens on the loopback. */
function hostDns(ofNode: DnsConfig, { resolvConf, nodeIPs }: DnsSettings): DnsConfig {
  if (resolvConf !== undefined) return ofNode;
  const servers = nodeIPs.map((ip) => (ip.includes(":") ? "::1" : "127.0.0.1"));
  return { ...ofNode, servers: servers.length > 0 ? servers : ["127.0.0.1"], searches: ["."] };
}

function clusterSearches(
  { metadata }: Pod,
  domain: string,
  ofNode: readonly string[],
): readonly string[] {
  if (domain === "") return ofNode;
  return [...new Set([`${metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain, ...ofNode])];
}

function withOwn(
  { servers, searches, options }: DnsConfig,
  own: NonNullable<Pod["spec"]["dnsConfig"]>,
): DnsConfig {
  const merged = new Map(
    options.map((option) => {
      const [name = "", ...value] = option.split(":");
      return [name, value.join(":")];
    }),
  );
  for (const { name = "", value = "" } of own.options ?? []) merged.set(name, value);
  return {
    servers: [...new Set([...servers, ...(own.nameservers ?? [])])],
    searches: [...new Set([...searches, ...(own.searches ?? [])])],
    options: [...merged].map(([name, value]) => (value === "" ? name : `${name}:${value}`)),
  };
}

function fittingServers(servers: readonly string[], record: RecordEvent): readonly string[] {
  if (servers.length <= maxServers) return servers;
  const kept = servers.slice(0, maxServers);
  const line = kept.join(" ");
  const message = `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${line}`;
  record({ type: "Warning", reason: "DNSConfigForming", message }, "pod");
  return kept;
}

function fittingSearches(searches: readonly string[], record: RecordEvent): readonly string[] {
  const kept = searches.slice(0, maxSearches).filter((search) => search.length <= maxSearchLength);
  while (kept.join(" ").length > maxSearchList) kept.pop();
  if (kept.length === searches.length) return searches;
  const line = kept.join(" ");
  const message = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${line}`;
  record({ type: "Warning", reason: "DNSConfigForming", message }, "pod");
  return kept;
}
