import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { NamespaceOptions } from "../linux-types.ts";
import type { PodSandboxConfig, PodSandboxResources } from "../runtime-types.ts";
import { linuxResourcesFromWire, linuxResourcesToWire } from "./linux-resources.ts";
import type { LinuxContainerResources } from "./messages/linux-messages.ts";
import type { PodSandboxConfig as WireConfig } from "./messages/sandbox-config-messages.ts";
import { podLabels } from "./pod-labels.ts";
import { sandboxSecurityFromWire, sandboxSecurityToWire } from "./security-context.ts";

/** The configuration of a sandbox, as a message. */
export function sandboxConfigToWire(config: PodSandboxConfig): Sent<MessageOf<typeof WireConfig>> {
  const { metadata, hostname, hostNetwork, labels, annotations } = config;
  const { dns, portMappings, sysctls } = config;
  return {
    metadata,
    // On the node's network a pod has the node's name.
    ...(!hostNetwork && { hostname }),
    log_directory: config.logDirectory,
    dns_config: dns,
    port_mappings: portMappings?.map(({ protocol, containerPort, hostPort, hostIp }) => ({
      protocol,
      container_port: containerPort,
      host_port: hostPort,
      host_ip: hostIp,
    })),
    labels: { ...podLabels(metadata), ...labels },
    annotations,
    linux: {
      cgroup_parent: config.cgroupParent,
      security_context: sandboxSecurityToWire({
        ...config.security,
        namespaces: sandboxNamespaces(config),
      }),
      sysctls,
      ...podResourcesToWire(config.resources ?? {}),
    },
  };
}

/** The namespaces of a sandbox; processes are not shared unless it says so. */
export const sandboxNamespaces = ({
  hostNetwork,
  security,
}: PodSandboxConfig): NamespaceOptions => ({
  pid: "container",
  ipc: "pod",
  ...security?.namespaces,
  network: hostNetwork ? "node" : (security?.namespaces?.network ?? "pod"),
});

/** The configuration of a sandbox, from a message and the handler beside it. */
export function sandboxConfigFromWire(
  wire: MessageOf<typeof WireConfig>,
  runtimeHandler = "",
): PodSandboxConfig {
  const { metadata, linux, dns_config: dns, port_mappings, log_directory: logDirectory } = wire;
  const security = linux?.security_context && sandboxSecurityFromWire(linux.security_context);
  const resources = linux && podResourcesFromWire(linux);
  return {
    metadata: metadata ?? { name: "", namespace: "", uid: "", attempt: 0 },
    hostname: wire.hostname,
    hostNetwork: security?.namespaces?.network === "node",
    labels: wire.labels,
    annotations: wire.annotations,
    ...(logDirectory !== "" && { logDirectory }),
    ...(dns && { dns }),
    ...(port_mappings.length > 0 && {
      portMappings: port_mappings.map((mapping) => ({
        protocol: mapping.protocol,
        containerPort: mapping.container_port,
        hostPort: mapping.host_port,
        hostIp: mapping.host_ip,
      })),
    }),
    ...(linux && linux.cgroup_parent !== "" && { cgroupParent: linux.cgroup_parent }),
    ...(linux && Object.keys(linux.sysctls).length > 0 && { sysctls: linux.sysctls }),
    ...(security && { security }),
    ...(runtimeHandler !== "" && { runtimeHandler }),
    ...(resources && Object.keys(resources).length > 0 && { resources }),
  };
}

type WireLinux = MessageOf<typeof LinuxContainerResources>;

/** The limits of a pod, as members of a message. */
export const podResourcesToWire = ({ containers, overhead }: PodSandboxResources) => ({
  overhead: overhead && linuxResourcesToWire(overhead),
  resources: containers && linuxResourcesToWire(containers),
});

/** The limits of a pod, from members of a message. */
export const podResourcesFromWire = (wire: {
  readonly overhead: WireLinux | undefined;
  readonly resources: WireLinux | undefined;
}): PodSandboxResources => ({
  ...(wire.overhead && { overhead: linuxResourcesFromWire(wire.overhead) }),
  ...(wire.resources && { containers: linuxResourcesFromWire(wire.resources) }),
});
