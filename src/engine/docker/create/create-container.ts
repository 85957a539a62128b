import { randomBytes, randomInt } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { defaultReadonlyPaths } from "../../../cri/hidden-paths.ts";
import { dockerCapabilities } from "../../containers/security/capabilities.ts";
import { grantableCapabilities } from "../../containers/security/capability-names.ts";
import { nodeMaskedPaths } from "../../containers/security/masked-paths.ts";
import { familiarName, parseReference, withDefaultTag } from "../../images/reference.ts";
import type { StoredImage } from "../../images/stored-image.ts";
import { resolveInRoot } from "../../snapshots/resolve-in-root.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, notFound } from "../http/docker-error.ts";
import type { JsonObject } from "../http/json-value.ts";
import { emitContainer } from "../life/container-events.ts";
import { disconnected } from "../network/container-network.ts";
import { containerFolder, isBridgeMode } from "../network/write-etc-files.ts";
import { copyIntoVolumes } from "../volumes/copy-into-volumes.ts";
import { type ContainerConfig, containerConfig } from "./container-config.ts";
import { containerName, generateName } from "./container-names.ts";
import { containerSettingsOf, withDefaultSwap } from "./container-settings-of.ts";
import type { DockerDetails, DockerEndpoint, DockerMount } from "./docker-details.ts";
import { type NetworkingConfig, networkingConfig } from "./endpoint-config.ts";
import { type HostConfig, hostConfig } from "./host-config.ts";
import { ensureInitLayer } from "./init-layer.ts";
import { mergeImageConfig } from "./merge-image-config.ts";
import { networkName, sharedContainer } from "./network-mode.ts";
import { planMounts, resolveMounts } from "./plan-mounts.ts";
import { parseSecurityOptions } from "./security-options.ts";
import { defaultCgroupnsMode } from "./settings-for.ts";
import { validateCreate } from "./validate-create.ts";

export interface CreateRequest {
  /** Empty for a generated one. */
  readonly name: string;
  readonly body: JsonObject | undefined;
  readonly apiMinor: number;
}

/** Creates a container: checks what is asked for, fills it in from the image, and records it. */
export async function createContainer(
  context: DockerContext,
  request: CreateRequest,
): Promise<{ readonly Id: string; readonly Warnings: readonly string[] }> {
  const { body, apiMinor } = request;
  const isEmpty = Object.keys(body ?? {}).every((key) =>
    /^(?:HostConfig|NetworkingConfig)$/i.test(key),
  );
  if (isEmpty) throw badRequest("config cannot be empty in order to create a container");
  const own = containerConfig(body, "");
  const host = withDefaults(hostConfig(body?.HostConfig, "HostConfig"), apiMinor);
  const networking = networkingConfig(body?.NetworkingConfig, "NetworkingConfig");
  const warnings = validateCreate(own, host);
  checkSecurity(host);
  const image = findImage(context, own.Image);
  const config = mergeImageConfig(own, image.config.config ?? {});
  const id = randomBytes(32).toString("hex");
  const { registry } = context;
  const name =
    request.name === ""
      ? generateName(random, (taken) => registry.isTaken(taken), id)
      : containerName(request.name);
  registry.reserve(name, id);
  let mounts: readonly DockerMount[] = [];
  try {
    const endpoints = endpointsOf(context, host, networking);
    mounts = await resolveMounts(context, planMounts(context, config, host), id);
    const details: DockerDetails = {
      name,
      imageId: image.id,
      config: { ...config, Hostname: hostnameFor(config, host, id) },
      hostConfig: host,
      mounts,
      endpoints,
      restartCount: 0,
      isStoppedByClient: false,
      isRestarting: false,
    };
    await record(context, { id, details, image });
  } catch (error) {
    registry.release(name);
    for (const volume of anonymousVolumes(mounts)) await context.volumes.remove(volume);
    throw error;
  }
  for (const volume of anonymousVolumes(mounts)) await context.volumes.confirm(volume);
  return { Id: id, Warnings: warnings };
}

const anonymousVolumes = (mounts: readonly DockerMount[]): readonly string[] =>
  mounts.flatMap(({ name, isAnonymous }) => (isAnonymous && name !== undefined ? [name] : []));

async function record(
  context: DockerContext,
  made: { readonly id: string; readonly details: DockerDetails; readonly image: StoredImage },
): Promise<void> {
  const { id, details, image } = made;
  const folder = containerFolder(context, id);
  await mkdir(folder, { recursive: true, mode: 0o710 });
  const { config } = details;
  await context.containers.create({
    id,
    owner: "docker",
    layers: [await ensureInitLayer(context.snapshots), ...image.layers],
    settings: provisionalSettings(id, details),
    logPath: join(folder, `${id}-json.log`),
    stdin: config.OpenStdin,
    // A client that leaves a terminal may come back.
    stdinOnce: config.StdinOnce && !config.Tty,
    details,
  });
  try {
    await checkWorkingDir(context, id, config.WorkingDir);
    await copyIntoVolumes(context, id, details.mounts);
  } catch (error) {
    await context.containers.remove(id);
    throw error;
  }
  emitContainer(context.events, { id, details }, "create");
}

/** Rejects a working folder that is something else; one that is missing is made at the start. */
async function checkWorkingDir(context: DockerContext, id: string, path: string): Promise<void> {
  if (path === "" || path === "/") return;
  const folder = await resolveInRoot(await context.containers.rootfs(id), path);
  const found = await stat(folder).catch(() => undefined);
  if (found && !found.isDirectory()) throw badRequest(`Cannot mkdir: ${path} is not a directory`);
}

/** What is recorded before the first start, which decides the settings. */
function provisionalSettings(id: string, details: DockerDetails) {
  return containerSettingsOf(details, {
    id,
    user: { uid: 0, gid: 0, additionalGids: [] },
    namespaces: { pid: "new", network: "new", ipc: "new", uts: "new", cgroup: "host" },
    capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
    security: { noNewPrivileges: true },
    seccomp: undefined,
    devices: [],
    defaultMaskedPaths: [],
    defaultReadonlyPaths: [],
    etcFiles: {},
    hostname: details.config.Hostname,
  });
}

function withDefaults(host: HostConfig, apiMinor: number): HostConfig {
  return withDefaultSwap({
    ...host,
    NetworkMode: host.NetworkMode || "default",
    RestartPolicy: { ...host.RestartPolicy, Name: host.RestartPolicy.Name || "no" },
    LogConfig: { Type: host.LogConfig.Type || "json-file", Config: host.LogConfig.Config ?? {} },
    AutoRemove: apiMinor >= 25 && host.AutoRemove,
    IpcMode: host.IpcMode || (apiMinor < 40 ? "shareable" : "private"),
    CgroupnsMode: host.CgroupnsMode || defaultCgroupnsMode(),
    ShmSize: host.ShmSize || defaultShmBytes,
    Runtime: host.Runtime || "runc",
    PidsLimit: host.PidsLimit !== null && host.PidsLimit <= 0 ? null : host.PidsLimit,
    PortBindings: host.PortBindings ?? {},
    MemorySwappiness: host.MemorySwappiness === -1 ? null : host.MemorySwappiness,
    MaskedPaths: host.MaskedPaths ?? (host.Privileged ? null : nodeMaskedPaths()),
    ReadonlyPaths: host.ReadonlyPaths ?? (host.Privileged ? null : defaultReadonlyPaths),
  });
}

const defaultShmBytes = 64 * 1024 * 1024;

/** Rejects capabilities and options that a start would reject. */
function checkSecurity(host: HostConfig): void {
  parseSecurityOptions(host.SecurityOpt ?? []);
  try {
    dockerCapabilities(
      { privileged: false, add: host.CapAdd ?? [], drop: host.CapDrop ?? [] },
      grantableCapabilities(),
    );
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

function findImage({ images }: DockerContext, name: string): StoredImage {
  const found = name === "" ? undefined : images.store.resolve(name);
  if (found) return found;
  let familiar = name;
  try {
    familiar = familiarName(withDefaultTag(parseReference(name)));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
  throw notFound(`No such image: ${familiar}`);
}

/** The networks of a container: that of its mode, and those it is told of. */
function endpointsOf(
  { networks }: DockerContext,
  host: HostConfig,
  { EndpointsConfig: configs }: NetworkingConfig,
): Readonly<Record<string, DockerEndpoint>> {
  const main = networkName(host.NetworkMode);
  const names = isBridgeMode(host.NetworkMode)
    ? [main, ...Object.keys(configs ?? {}).filter((name) => networkName(name) !== main)]
    : [];
  return Object.fromEntries(
    names.map((name) => {
      // One that does not exist is an error of the start: it may be created until then.
      const network = networks.get(name);
      const config = configs?.[name] ?? configs?.[network?.id ?? ""] ?? configs?.default ?? null;
      return [network?.name ?? name, newEndpoint(network?.id ?? "", config)];
    }),
  );
}

/** An endpoint of a container that does not run. */
export const newEndpoint = (
  networkId: string,
  config: DockerEndpoint["config"],
): DockerEndpoint => ({
  config,
  networkId,
  endpointId: randomBytes(32).toString("hex"),
  ...disconnected,
});

function hostnameFor({ Hostname }: ContainerConfig, host: HostConfig, id: string): string {
  if (Hostname !== "" || host.NetworkMode === "host" || host.UTSMode === "host") return Hostname;
  return sharedContainer(host.NetworkMode) === undefined ? id.slice(0, 12) : "";
}

const random = (): number => randomInt(2 ** 32) / 2 ** 32;
