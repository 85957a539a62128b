import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DockerContainer, DockerDetails } from "../create/docker-details.ts";
import { networkName, sharedContainer } from "../create/network-mode.ts";
import type { DockerContext } from "../docker-context.ts";
import { extraHost, type HostLine, hostsFile, resolverFile } from "./etc-files.ts";
import { builtInNames } from "./network-record.ts";

/** The folder of a container's files beside its file system. */
export const containerFolder = (context: Pick<DockerContext, "dataDir">, id: string): string =>
  join(context.dataDir, "containers", id);

/** The files that are mounted into a container, by their path in it; those of a shared network are the other's. */
export function etcFiles(
  context: DockerContext,
  container: DockerContainer,
): Record<string, string> {
  const other = sharedContainer(container.details.hostConfig.NetworkMode);
  const owner = other === undefined ? container.id : context.registry.find(other).id;
  const folder = containerFolder(context, owner);
  return {
    "/etc/resolv.conf": join(folder, "resolv.conf"),
    "/etc/hostname": join(folder, "hostname"),
    "/etc/hosts": join(folder, "hosts"),
  };
}

/** The name that a container has for itself. */
export function hostnameOf(context: DockerContext, { id, details }: DockerContainer): string {
  const { NetworkMode, UTSMode } = details.hostConfig;
  const other = sharedContainer(NetworkMode);
  if (other !== undefined) return hostnameOf(context, context.registry.find(other));
  if (details.config.Hostname !== "") return details.config.Hostname;
  return NetworkMode === "host" || UTSMode === "host" ? hostname() : id.slice(0, 12);
}

/** Writes the files of a container that say what it and others are called. */
export async function writeEtcFiles(
  context: DockerContext,
  container: DockerContainer,
): Promise<void> {
  const { hostConfig } = container.details;
  if (sharedContainer(hostConfig.NetworkMode) !== undefined) return;
  const folder = containerFolder(context, container.id);
  await mkdir(folder, { recursive: true, mode: 0o710 });
  const resolver = await readFile("/etc/resolv.conf", "utf8").catch(() => "");
  const own = {
    servers: hostConfig.Dns ?? [],
    search: hostConfig.DnsSearch ?? [],
    options: hostConfig.DnsOptions ?? [],
  };
  const isHost = hostConfig.NetworkMode === "host";
  await writeFile(join(folder, "resolv.conf"), resolverFile(resolver, own, isHost), {
    mode: 0o644,
  });
  await writeFile(join(folder, "hostname"), `${hostnameOf(context, container)}\n`, { mode: 0o644 });
  await writeFile(join(folder, "hosts"), await hostsOf(context, container), { mode: 0o644 });
}

/** Writes the hosts files of all containers in a network again: one has come or gone. */
export async function writeHosts(context: DockerContext, network: string): Promise<void> {
  if (builtInNames.has(network)) return;
  for (const container of context.registry.list()) {
    if (!container.details.endpoints[network]?.address) continue;
    // The file is written in place, because it is mounted into the container.
    const path = join(containerFolder(context, container.id), "hosts");
    await writeFile(path, await hostsOf(context, container)).catch(() => undefined);
  }
}

async function hostsOf(context: DockerContext, container: DockerContainer): Promise<string> {
  const { hostConfig, config } = container.details;
  if (hostConfig.NetworkMode === "host") return readFile("/etc/hosts", "utf8").catch(() => "");
  const own = Object.values(container.details.endpoints)
    .filter(({ address }) => address !== "")
    .map(({ address }) => ({
      address,
      names: ownNames(hostnameOf(context, container), config.Domainname),
    }));
  const gateway = context.networks.find("bridge").bridge?.gateway ?? "";
  return hostsFile([
    ...(hostConfig.ExtraHosts ?? []).map((text) => extraHost(text, gateway)),
    ...own,
    ...linked(context, hostConfig.Links ?? []),
    ...neighbours(context, container),
  ]);
}

/** The containers that a client links by `NAME:ALIAS`. */
const linked = ({ registry }: DockerContext, links: readonly string[]): readonly HostLine[] =>
  links.flatMap((link) => {
    const [name = "", alias = name] = link.split(":");
    const { id, details } = registry.find(name);
    const address = Object.values(details.endpoints).find((one) => one.address !== "")?.address;
    const names = [...new Set([alias, id.slice(0, 12), details.name])];
    return address === undefined ? [] : [{ address, names }];
  });

const ownNames = (name: string, domain: string): readonly string[] =>
  domain === "" ? [name] : [`${name}.${domain}`, name];

/** The other containers in networks that were created by users, where names are resolved. */
function neighbours({ registry }: DockerContext, container: DockerContainer): readonly HostLine[] {
  const networks = Object.keys(container.details.endpoints).filter(
    (name) => !builtInNames.has(name),
  );
  return registry
    .list()
    .filter(({ id }) => id !== container.id)
    .flatMap(({ id, details }) =>
      networks.flatMap((network) => neighbourLine(id, details, network) ?? []),
    );
}

function neighbourLine(id: string, details: DockerDetails, network: string): HostLine | undefined {
  const endpoint = details.endpoints[network];
  if (!endpoint || endpoint.address === "") return undefined;
  const names = [details.name, id.slice(0, 12), ...(endpoint.config?.Aliases ?? [])];
  return { address: endpoint.address, names: [...new Set(names)] };
}

/** Whether a mode means a network with bridges. */
export const isBridgeMode = (mode: string): boolean =>
  !["host", "none"].includes(networkName(mode)) && sharedContainer(mode) === undefined;
