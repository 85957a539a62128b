import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { readBits } from "./read-bits.ts";

/** What plugins can ask to be told of a pod, by the names of the convention. Throws if an annotation is invalid. */
export function capabilityArguments(
  { portMappings = [], dns, cgroupParent, annotations }: PodSandboxConfig,
  podCidrs: readonly string[],
): Readonly<Record<string, unknown>> {
  const mapped = portMappings.filter(({ hostPort }) => hostPort > 0);
  const bandwidth = {
    ...limit("ingress", annotations["kubernetes.io/ingress-bandwidth"]),
    ...limit("egress", annotations["kubernetes.io/egress-bandwidth"]),
  };
  return {
    "io.kubernetes.cri.pod-annotations": annotations,
    ...(mapped.length > 0 && {
      portMappings: mapped.map(({ protocol, hostIp, hostPort, containerPort }) => ({
        ...{ hostPort, containerPort, protocol: protocol.toLowerCase(), hostIP: hostIp },
      })),
    }),
    ...(Object.keys(bandwidth).length > 0 && { bandwidth }),
    ...(dns && { dns }),
    ...(cgroupParent !== undefined && cgroupParent !== "" && { cgroupPath: cgroupParent }),
    ...(podCidrs.length > 0 && { ipRanges: podCidrs.map((subnet) => [{ subnet }]) }),
  };
}

/** A rate, with the burst that containerd gives. */
function limit(name: "ingress" | "egress", text: string | undefined): object {
  if (text === undefined) return {};
  return { [`${name}Rate`]: readBits(text), [`${name}Burst`]: mostBurst };
}

const mostBurst = 2 ** 32 - 1;
