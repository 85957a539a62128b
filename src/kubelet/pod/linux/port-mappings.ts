import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PortMapping } from "../../../cri/linux-types.ts";

/** The ports of a pod's containers; one without a port of the node has 0 there. */
export const portMappings = ({ spec }: Pod): readonly PortMapping[] =>
  (spec.containers ?? []).flatMap(containerPorts);

function containerPorts({ ports = [] }: Container): readonly PortMapping[] {
  const byName = new Map<string, PortMapping>();
  for (const { name, protocol, containerPort, hostPort = 0, hostIP: hostIp = "" } of ports) {
    const known = name || `${protocol}-${hostIp}:${containerPort}:${hostPort}`;
    const mapping = { protocol: (protocol ?? "TCP") as PortMapping["protocol"] };
    if (!byName.has(known)) byName.set(known, { ...mapping, containerPort, hostPort, hostIp });
  }
  return [...byName.values()];
}
