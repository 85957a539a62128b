import type { ContainerConfig } from "./container-config.ts";
import type { HostConfig } from "./host-config.ts";

/** The container whose namespace a mode such as `container:web` shares. */
export const sharedContainer = (mode: string): string | undefined =>
  mode.startsWith("container:") ? mode.slice("container:".length) : undefined;

/** The name of the network that a mode means; `default` is the bridge. */
export const networkName = (mode: string): string =>
  mode === "" || mode === "default" ? "bridge" : mode;

/** Why a container's network mode is not possible with its other settings. */
export function networkModeProblem(config: ContainerConfig, host: HostConfig): string | undefined {
  const { NetworkMode: mode } = host;
  if (mode === "container" || sharedContainer(mode) !== undefined) {
    const problem = sharedNetworkProblem(config, host);
    if (problem !== undefined) return problem;
  }
  if (host.UTSMode === "host" && config.Hostname !== "")
    return "conflicting options: hostname and the UTS mode";
  if (mode === "host" && (host.Links ?? []).length > 0)
    return "conflicting options: host type networking can't be used with links. This would result in undefined behavior";
  return undefined;
}

function sharedNetworkProblem(config: ContainerConfig, host: HostConfig): string | undefined {
  if (!sharedContainer(host.NetworkMode))
    return "invalid network mode: invalid container format container:<name|id>";
  if (config.Hostname !== "") return "conflicting options: hostname and the network mode";
  if ((host.Links ?? []).length > 0)
    return "conflicting options: container type network can't be used with links. This would result in undefined behavior";
  if ((host.Dns ?? []).length > 0) return "conflicting options: dns and the network mode";
  if ((host.ExtraHosts ?? []).length > 0)
    return "conflicting options: custom host-to-IP mapping and the network mode";
  if (Object.keys(host.PortBindings ?? {}).length > 0 || host.PublishAllPorts)
    return "conflicting options: port publishing and the container type network mode";
  if (Object.keys(config.ExposedPorts ?? {}).length > 0)
    return "conflicting options: port exposing and the container type network mode";
  return undefined;
}
