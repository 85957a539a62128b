import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { linuxSandboxResources } from "./linux-resources.ts";
import type { LinuxSettings, PodLookups, RecordEvent } from "./linux-settings.ts";
import { podCgroupPath } from "./pod-cgroup.ts";
import { podDns } from "./pod-dns.ts";
import { kernelHostname, podHostname } from "./pod-hostname.ts";
import { sandboxSecurity } from "./pod-security.ts";
import { portMappings } from "./port-mappings.ts";

export interface SandboxRequest extends PodLookups {
  readonly pod: Pod;
  readonly record: RecordEvent;
}

/** Completes the configuration of a pod's sandbox. Throws if the pod cannot have one. */
export function linuxSandbox(
  config: PodSandboxConfig,
  { pod, record, ...lookups }: SandboxRequest,
  settings: LinuxSettings,
): PodSandboxConfig {
  const { cgroups, clusterDomain } = settings;
  const dns = podDns(pod, settings, record);
  // On the network of the node a pod has its name, too.
  const hostname = config.hostNetwork ? "" : kernelHostname(podHostname(pod, clusterDomain), pod);
  const ports = portMappings(pod);
  const sysctls = (pod.spec.securityContext?.sysctls ?? []).map(({ name, value }) => [name, value]);
  return {
    ...config,
    hostname,
    dns,
    logDirectory: podLogDirectory(pod, settings),
    ...(ports.length > 0 && { portMappings: ports }),
    ...(cgroups && { cgroupParent: podCgroupPath(pod, cgroups) }),
    sysctls: Object.fromEntries(sysctls),
    security: sandboxSecurity(pod, lookups),
    ...(lookups.runtimeHandler && { runtimeHandler: lookups.runtimeHandler }),
    resources: linuxSandboxResources(pod, settings.resources),
  };
}

/** The folder of the logs of a pod's containers. */
const podLogDirectory = ({ metadata }: Pod, { podLogsDir }: LinuxSettings): string =>
  `${podLogsDir}/${metadata.namespace}_${metadata.name}_${metadata.uid}`;
