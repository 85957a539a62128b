import type { Service } from "../../api/core/v1/service/service.ts";
import {
  isExternallyAccessible,
  isHeadless,
  needsHealthCheck,
} from "../../api/core/v1/service/service-spec.ts";
import { addressesOf, type IpFamily, ipFamilies, rangesOf } from "./ip-family.ts";

export type Protocol = "TCP" | "UDP" | "SCTP";

/** A port of a service, in one family of addresses, as far as traffic to it is concerned. */
export interface ProxiedPort {
  /** Namespace and name, as `default/web`. */
  readonly service: string;
  readonly name: string;
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly clusterIP: string;
  readonly port: number;
  /** 0 if it has none. */
  readonly nodePort: number;
  readonly externalIPs: readonly string[];
  readonly loadBalancerIPs: readonly string[];
  /** Who may use the addresses of the load balancer; everybody if empty. */
  readonly sourceRanges: readonly string[];
  /** For how long a client stays with an endpoint; 0 if it does not. */
  readonly affinitySeconds: number;
  readonly isExternalLocal: boolean;
  readonly isInternalLocal: boolean;
}

/**
 * The ports of a service that the nodes proxy: none of headless services, of external names, and of services that are
 * labelled as those of another proxy.
 */
export function proxiedPorts(service: Service): readonly ProxiedPort[] {
  const { metadata, spec } = service;
  if (isHeadless(service) || spec.type === "ExternalName") return [];
  if (metadata.labels?.[otherProxyLabel] !== undefined) return [];
  const clusterIPs = spec.clusterIPs ?? (spec.clusterIP ? [spec.clusterIP] : []);
  return ipFamilies.flatMap((family) => {
    const [clusterIP] = addressesOf(family, clusterIPs);
    if (clusterIP === undefined) return [];
    const common = {
      ...{ service: `${metadata.namespace}/${metadata.name}`, family, clusterIP },
      externalIPs: addressesOf(family, spec.externalIPs),
      loadBalancerIPs: loadBalancerIPs(service, family),
      sourceRanges: sourceRanges(service, family),
      affinitySeconds: affinitySeconds(service),
      isExternalLocal: isExternalLocal(service),
      isInternalLocal: spec.internalTrafficPolicy === "Local",
    };
    return (spec.ports ?? []).map(
      ({ name = "", protocol = "TCP", port, nodePort = 0 }): ProxiedPort => ({
        ...common,
        ...{ name, protocol: protocol as Protocol, port, nodePort },
      }),
    );
  });
}

const otherProxyLabel = "service.kubernetes.io/service-proxy-name";

/** Whether the port is reached by more than its cluster IP. */
export const isExternal = ({ nodePort, externalIPs, loadBalancerIPs }: ProxiedPort): boolean =>
  nodePort !== 0 || externalIPs.length > 0 || loadBalancerIPs.length > 0;

/** Where load balancers check whether a node has endpoints of a service; undefined if nowhere. */
export const healthCheckPort = (service: Service): number | undefined =>
  needsHealthCheck(service) ? service.spec.healthCheckNodePort || undefined : undefined;

const isExternalLocal = (service: Service): boolean =>
  service.spec.externalTrafficPolicy === "Local" && isExternallyAccessible(service);

const affinitySeconds = ({ spec }: Service): number =>
  spec.sessionAffinity === "ClientIP"
    ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800)
    : 0;

/** Addresses with which packets arrive; those of load balancers that are proxies themselves are not. */
const loadBalancerIPs = ({ status }: Service, family: IpFamily): readonly string[] =>
  addressesOf(
    family,
    (status.loadBalancer.ingress ?? []).flatMap(({ ip, ipMode }) =>
      ip && (ipMode ?? "VIP") === "VIP" ? [ip] : [],
    ),
  );

/** A range that holds all addresses is like none. */
function sourceRanges({ spec }: Service, family: IpFamily): readonly string[] {
  const ranges = rangesOf(family, spec.loadBalancerSourceRanges);
  return ranges.some((range) => range.endsWith("/0")) ? [] : ranges;
}
