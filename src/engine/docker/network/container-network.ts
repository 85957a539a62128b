import { join } from "node:path";
import type { Namespace } from "../../containers/container-settings.ts";
import { formatAddress, macAddressOf, parseSubnet } from "../../network/ipv4.ts";
import type { DockerContainer, DockerEndpoint } from "../create/docker-details.ts";
import { networkName, sharedContainer } from "../create/network-mode.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, conflict } from "../http/docker-error.ts";
import { statusWord } from "../show/docker-state.ts";
import { chooseHostPorts } from "./host-ports.ts";
import { connect, createNamespace, removeInterface, removeNamespace } from "./network-commands.ts";
import { parsePort, portRequests } from "./port-requests.ts";
import { writeHosts } from "./write-etc-files.ts";

/** The file that holds the network namespace of a container. */
export const namespacePath = (context: Pick<DockerContext, "dataDir">, id: string): string =>
  join(context.dataDir, "netns", id);

/** Connects a container with its networks; resolves with the namespace to run it in. */
export async function openNetwork(
  context: DockerContext,
  { id, details }: DockerContainer,
): Promise<Namespace> {
  const mode = networkName(details.hostConfig.NetworkMode);
  const other = sharedContainer(mode);
  if (other !== undefined) return { path: `/proc/${runningPid(context, other)}/ns/net` };
  if (mode === "host") return "host";
  const names = Object.keys(details.endpoints);
  if (mode === "none" || names.length === 0) return "new";
  const namespace = namespacePath(context, id);
  await createNamespace(namespace);
  for (const name of names) await connectEndpoint(context, id, name);
  return { path: namespace };
}

/** The pid of the first process of another container, which must be running. */
export function runningPid(context: DockerContext, nameOrId: string): number {
  const container = context.registry.find(nameOrId);
  if (container.state.phase === "running") return container.state.pid;
  throw conflict(
    `cannot join network namespace of a non running container: container ${container.details.name} is ${statusWord(container)}`,
  );
}

/** Gives a container an address in a network and connects its namespace. */
export async function connectEndpoint(
  context: DockerContext,
  id: string,
  name: string,
): Promise<void> {
  const { networks, registry } = context;
  const network = networks.find(name);
  const container = registry.get(id);
  const endpoint = container?.details.endpoints[name];
  if (!container || !endpoint || !network.bridge) return;
  await networks.ensure(network);
  const address = networks.reserve(network, endpoint.config?.IPAMConfig?.IPv4Address ?? "");
  try {
    const isFirst = Object.keys(container.details.endpoints)[0] === name;
    const connected: DockerEndpoint = {
      ...endpoint,
      networkId: network.id,
      address: formatAddress(address),
      prefixLength: parseSubnet(network.bridge.subnet)?.prefixLength ?? 0,
      gateway: network.bridge.gateway,
      macAddress: givenMac(endpoint) ?? macAddressOf(address),
      ports: isFirst && !network.isInternal ? await portsOf(context, container) : {},
    };
    // Recorded before it is used: a new engine must not give the address to another container.
    await setEndpoint(context, id, name, connected);
    await connect({
      namespace: namespacePath(context, id),
      hostInterface: hostInterface(context, connected),
      containerInterface: `eth${Object.keys(container.details.endpoints).indexOf(name)}`,
      bridge: network.bridge.interface,
      address: connected.address,
      prefixLength: connected.prefixLength,
      macAddress: connected.macAddress,
      ...(isFirst && !network.isInternal && { gateway: connected.gateway }),
    });
  } finally {
    networks.release(address);
  }
  await networks.apply();
  emitNetwork(context, id, name, "connect");
}

/** The hardware address that a client wants. */
function givenMac({ config }: DockerEndpoint): string | undefined {
  const given = config?.MacAddress ?? "";
  if (given === "") return undefined;
  if (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(given)) return given;
  throw badRequest(`invalid MAC address: ${given}`);
}

/** Disconnects a container from all its networks. */
export async function closeNetwork(context: DockerContext, id: string): Promise<void> {
  const endpoints = context.registry.get(id)?.details.endpoints ?? {};
  const connected = Object.entries(endpoints).filter(([, { address }]) => address !== "");
  for (const [name] of connected) await disconnectEndpoint(context, id, name);
  await removeNamespace(namespacePath(context, id));
}

/** Takes a container's address in a network away. */
export async function disconnectEndpoint(
  context: DockerContext,
  id: string,
  name: string,
): Promise<void> {
  const endpoint = context.registry.get(id)?.details.endpoints[name];
  if (!endpoint || endpoint.address === "") return;
  await removeInterface(hostInterface(context, endpoint));
  await setEndpoint(context, id, name, { ...endpoint, ...disconnected });
  await context.networks.apply();
  await writeHosts(context, name);
  emitNetwork(context, id, name, "disconnect");
}

/** What an endpoint has while its container does not run. */
export const disconnected: Pick<
  DockerEndpoint,
  "address" | "prefixLength" | "gateway" | "macAddress" | "ports"
> = { address: "", prefixLength: 0, gateway: "", macAddress: "", ports: {} };

async function portsOf(
  { registry }: DockerContext,
  container: DockerContainer,
): Promise<DockerEndpoint["ports"]> {
  const { config, hostConfig } = container.details;
  const published = registry
    .list()
    .filter(({ id }) => id !== container.id)
    .flatMap(({ details }) => Object.values(details.endpoints))
    .flatMap(({ ports }) => Object.entries(ports))
    .flatMap(([key, all]) =>
      all.map(({ hostPort }) => ({ protocol: parsePort(key).protocol, hostPort })),
    );
  return chooseHostPorts(portRequests(config, hostConfig), published);
}

async function setEndpoint(
  { registry }: DockerContext,
  id: string,
  name: string,
  endpoint: DockerEndpoint,
): Promise<void> {
  await registry.change(id, ({ endpoints }) => ({ endpoints: { ...endpoints, [name]: endpoint } }));
}

const hostInterface = ({ networks }: DockerContext, { endpointId }: DockerEndpoint): string =>
  `${networks.plan.interfacePrefix}v${endpointId.slice(0, 13 - networks.plan.interfacePrefix.length)}`;

function emitNetwork(context: DockerContext, id: string, name: string, action: string): void {
  const network = context.networks.find(name);
  context.events.emit({
    type: "network",
    action,
    id: network.id,
    attributes: { container: id, name, type: network.driver },
  });
}
