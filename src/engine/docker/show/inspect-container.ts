import type {
  DockerContainer,
  DockerDetails,
  DockerEndpoint,
  DockerMount,
} from "../create/docker-details.ts";
import { sharedContainer } from "../create/network-mode.ts";
import type { DockerContext } from "../docker-context.ts";
import { namespacePath } from "../network/container-network.ts";
import { containerFolder } from "../network/write-etc-files.ts";
import { inspectedPorts } from "./container-ports.ts";
import { inspectedState } from "./docker-state.ts";
import { dockerTime } from "./docker-time.ts";

/** All that `docker inspect` shows of a container. */
export async function inspectContainer(
  context: DockerContext,
  container: DockerContainer,
  withSize: boolean,
): Promise<object> {
  const { id, details, logPath } = container;
  const folder = containerFolder(context, id);
  const [Path = "", ...Args] = [
    ...(details.config.Entrypoint ?? []),
    ...(details.config.Cmd ?? []),
  ];
  const health = details.config.Healthcheck === null ? undefined : context.health.health(id);
  return {
    Id: id,
    Created: dockerTime(container.createdAt),
    Path,
    Args,
    State: inspectedState(container, health),
    Image: details.imageId,
    ResolvConfPath: `${folder}/resolv.conf`,
    HostnamePath: `${folder}/hostname`,
    HostsPath: `${folder}/hosts`,
    LogPath: logPath,
    Name: `/${details.name}`,
    RestartCount: details.restartCount,
    Driver: "overlay2",
    Platform: "linux",
    MountLabel: "",
    ProcessLabel: "",
    AppArmorProfile: "",
    ExecIDs: context.execs.idsOf(id),
    HostConfig: details.hostConfig,
    GraphDriver: { Data: null, Name: "overlay2" },
    ...(withSize && (await sizesOf(context, container))),
    Mounts: details.mounts.map(shownMount),
    Config: details.config,
    NetworkSettings: networkSettings(context, container),
  };
}

/** What a container wrote, and that with its image. */
export async function sizesOf(
  context: DockerContext,
  { id, layers }: DockerContainer,
): Promise<{ SizeRw: number; SizeRootFs: number }> {
  const { bytes } = await context.snapshots.usage(id);
  const usages = await Promise.all(
    layers.map((layer) => context.snapshots.layerUsage(layer).catch(() => ({ bytes: 0 }))),
  );
  const image = usages.reduce((sum, usage) => sum + usage.bytes, 0);
  return { SizeRw: bytes, SizeRootFs: image + bytes };
}

/** A mount as clients read it. */
export function shownMount(mount: DockerMount): object {
  const { type, name, source, destination, mode, writable, propagation } = mount;
  return {
    Type: type,
    ...(name !== undefined && { Name: name }),
    Source: source,
    Destination: destination,
    ...(type === "volume" && { Driver: "local" }),
    Mode: mode,
    RW: writable,
    Propagation: propagation,
  };
}

/** The networks of a container as clients read them. */
export function shownNetworks(
  { networks }: Pick<DockerContext, "networks">,
  { endpoints, hostConfig }: DockerDetails,
): Record<string, object> {
  const { NetworkMode: mode } = hostConfig;
  if (mode === "host" || mode === "none")
    return { [mode]: { ...emptyNetwork, NetworkID: networks.find(mode).id } };
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, shownEndpoint(endpoint)]),
  );
}

const emptyNetwork = {
  IPAMConfig: null,
  Links: null,
  Aliases: null,
  MacAddress: "",
  DriverOpts: null,
  NetworkID: "",
  EndpointID: "",
  Gateway: "",
  IPAddress: "",
  IPPrefixLen: 0,
  IPv6Gateway: "",
  GlobalIPv6Address: "",
  GlobalIPv6PrefixLen: 0,
  DNSNames: null,
};

function shownEndpoint(endpoint: DockerEndpoint): object {
  const { config, address } = endpoint;
  return {
    ...emptyNetwork,
    IPAMConfig: config?.IPAMConfig ?? null,
    Links: config?.Links ?? null,
    Aliases: config?.Aliases ?? null,
    DriverOpts: config?.DriverOpts ?? null,
    NetworkID: endpoint.networkId,
    EndpointID: address === "" ? "" : endpoint.endpointId,
    Gateway: endpoint.gateway,
    IPAddress: address,
    IPPrefixLen: endpoint.prefixLength,
    MacAddress: endpoint.macAddress,
  };
}

function networkSettings(context: DockerContext, { id, state, details }: DockerContainer): object {
  const isRunning = state.phase === "running";
  const isShared = sharedContainer(details.hostConfig.NetworkMode) !== undefined;
  const main = details.endpoints.bridge;
  return {
    Bridge: "",
    SandboxID: isRunning && !isShared ? id : "",
    SandboxKey: isRunning && !isShared ? namespacePath(context, id) : "",
    Ports: isRunning ? inspectedPorts(details) : {},
    HairpinMode: false,
    LinkLocalIPv6Address: "",
    LinkLocalIPv6PrefixLen: 0,
    SecondaryIPAddresses: null,
    SecondaryIPv6Addresses: null,
    EndpointID: main?.address ? main.endpointId : "",
    Gateway: main?.gateway ?? "",
    GlobalIPv6Address: "",
    GlobalIPv6PrefixLen: 0,
    IPAddress: main?.address ?? "",
    IPPrefixLen: main?.prefixLength ?? 0,
    IPv6Gateway: "",
    MacAddress: main?.macAddress ?? "",
    Networks: shownNetworks(context, details),
  };
}
