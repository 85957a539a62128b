import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import type { EndpointAddress, EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { formatIp, type Ip, parseIpSloppy, unmap } from "../../schema/values/ip.ts";
import { hasEndpoint, isNamedBy, targetPortOf } from "./pod-endpoint.ts";
import { repackSubsets } from "./repack-subsets.ts";

/** The subsets of a service: the addresses and ports of its pods. */
export function serviceSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const { publishNotReadyAddresses = false, ports: servicePorts = [], clusterIP } = service.spec;
  const subsets: EndpointSubset[] = [];
  for (const pod of pods) {
    if (!hasEndpoint(pod, { evenTerminating: publishNotReadyAddresses })) continue;
    const address = addressOf(pod, service);
    if (!address) continue;
    const field = publishNotReadyAddresses || isPodReady(pod) ? "addresses" : "notReadyAddresses";
    // Only a headless service may have no ports.
    if (servicePorts.length === 0 && clusterIP === "None") subsets.push({ [field]: [address] });
    for (const servicePort of servicePorts) {
      const port = targetPortOf(pod, servicePort);
      if (port === undefined) continue;
      const { name, protocol = "TCP", appProtocol } = servicePort;
      const told = {
        ...(name && { name }),
        port,
        protocol,
        ...(appProtocol !== undefined && { appProtocol }),
      };
      subsets.push({ [field]: [address], ports: [told] });
    }
  }
  return repackSubsets(subsets);
}

/** Parses an address; an IPv4-mapped IPv6 address is one of IPv4. */
export function podAddresses({ status }: Pod): readonly Ip[] {
  return (status.podIPs ?? []).flatMap(({ ip }) => {
    const address = parseIpSloppy(ip);
    return address ? [unmap(address)] : [];
  });
}

/** The address of a pod in the first IP family of a service; undefined if it has none. */
function addressOf(pod: Pod, service: Service): EndpointAddress | undefined {
  const version = familyOf(service, pod);
  const ip = podAddresses(pod).find((one) => one.version === version);
  if (!ip) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return {
    ip: formatIp(ip),
    ...(isNamedBy(pod, service) && { hostname: pod.spec.hostname }),
    nodeName: pod.spec.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
  } as EndpointAddress;
}

function familyOf({ spec }: Service, { status }: Pod): 4 | 6 {
  const [family] = spec.ipFamilies ?? [];
  if (family !== undefined) return family === "IPv6" ? 6 : 4;
  const hasIp = spec.clusterIP && spec.clusterIP !== "None";
  const address = parseIpSloppy((hasIp ? spec.clusterIP : status.podIP) ?? "");
  return address && unmap(address).version === 6 ? 6 : 4;
}
