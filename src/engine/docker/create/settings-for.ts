import { existsSync } from "node:fs";
import { release } from "node:os";
import { defaultReadonlyPaths } from "../../../cri/hidden-paths.ts";
import type {
  ContainerSettings,
  DeviceSettings,
  Namespace,
  NamespaceSettings,
} from "../../containers/container-settings.ts";
import { allDevices, requestedDevices } from "../../containers/oci/devices.ts";
import { apparmorProfile, loadedProfiles } from "../../containers/security/apparmor-profile.ts";
import { dockerCapabilities } from "../../containers/security/capabilities.ts";
import { grantableCapabilities } from "../../containers/security/capability-names.ts";
import { nodeMaskedPaths } from "../../containers/security/masked-paths.ts";
import { parseSeccomp, seccompProfile } from "../../containers/security/seccomp/seccomp-profile.ts";
import { dockerUser } from "../../containers/user/docker-user.ts";
import { readUserFiles } from "../../containers/user/user-files.ts";
import type { DockerContext } from "../docker-context.ts";
import { DockerError } from "../http/docker-error.ts";
import { openShm } from "../life/shared-memory.ts";
import { runningPid } from "../network/container-network.ts";
import { etcFiles, hostnameOf } from "../network/write-etc-files.ts";
import { containerSettingsOf } from "./container-settings-of.ts";
import type { DockerContainer } from "./docker-details.ts";
import type { HostConfig } from "./host-config.ts";
import { sharedContainer } from "./network-mode.ts";
import { parseSecurityOptions, type SecurityOptions } from "./security-options.ts";

/** The settings by which a container is started now: what they depend on may have changed since the last time. */
export async function settingsFor(
  context: DockerContext,
  container: DockerContainer,
  network: Namespace,
): Promise<ContainerSettings> {
  const { id, details } = container;
  const { config, hostConfig: host } = details;
  const security = parseSecurityOptions(host.SecurityOpt ?? []);
  const grantable = grantableCapabilities();
  const capabilities = dockerCapabilities(
    { privileged: host.Privileged, add: host.CapAdd ?? [], drop: host.CapDrop ?? [] },
    grantable,
  );
  const root = await context.containers.rootfs(id);
  const files = await readUserFiles(root);
  const apparmor = apparmorOf(security.apparmor);
  return containerSettingsOf(details, {
    id,
    user: dockerUser({ user: config.User, groups: host.GroupAdd ?? [] }, files),
    namespaces: namespacesOf(context, container, network),
    capabilities,
    security: { ...security, apparmor },
    seccomp: await seccompOf(security, host.Privileged, capabilities.bounding),
    devices: await devicesOf(host),
    defaultMaskedPaths: nodeMaskedPaths(),
    defaultReadonlyPaths,
    etcFiles: etcFiles(context, container),
    shmFolder: await openShm(context, container),
    initProgram: host.Init ? initProgram() : undefined,
    hostname: hostnameOf(context, container),
  });
}

function namespacesOf(
  context: DockerContext,
  { details }: DockerContainer,
  network: Namespace,
): NamespaceSettings {
  const { PidMode, IpcMode, UTSMode, CgroupnsMode } = details.hostConfig;
  const shared = (mode: string, type: string): Namespace => {
    if (mode === "host") return "host";
    const other = sharedContainer(mode);
    return other === undefined ? "new" : { path: `/proc/${runningPid(context, other)}/ns/${type}` };
  };
  return {
    pid: shared(PidMode, "pid"),
    network,
    ipc: shared(IpcMode, "ipc"),
    uts: UTSMode === "host" ? "host" : "new",
    cgroup: CgroupnsMode === "private" ? "new" : "host",
  };
}

/** A profile of AppArmor that a container names; without AppArmor on the host it means nothing. */
function apparmorOf(name: string | undefined): string | undefined {
  const loaded = loadedProfiles();
  if (name === undefined || name === "unconfined" || !loaded) return undefined;
  return apparmorProfile({ type: "localhost", ref: name }, loaded);
}

async function devicesOf(host: HostConfig): Promise<readonly DeviceSettings[]> {
  if (host.Privileged) return allDevices();
  return requestedDevices(
    (host.Devices ?? []).map(({ PathOnHost, PathInContainer, CgroupPermissions }) => ({
      hostPath: PathOnHost,
      containerPath: PathInContainer || PathOnHost,
      permissions: CgroupPermissions || "rwm",
    })),
  ).catch((cause: Error) => {
    throw new DockerError(
      500,
      `error gathering device information while adding custom device: ${cause.message}`,
      { cause },
    );
  });
}

/** The mode of the cgroup namespace where a container does not say: its own only where there is one hierarchy. */
export const defaultCgroupnsMode = (): string =>
  existsSync("/sys/fs/cgroup/cgroup.controllers") ? "private" : "host";

async function seccompOf(
  { seccomp }: SecurityOptions,
  isPrivileged: boolean,
  capabilities: readonly string[],
): Promise<object | undefined> {
  const context = { capabilities, architecture: process.arch, kernelVersion: release() };
  if (seccomp === "unconfined" || (seccomp === undefined && isPrivileged)) return undefined;
  if (seccomp === undefined || seccomp === "builtin")
    return seccompProfile({ type: "runtimeDefault" }, context);
  return parseSeccomp(seccomp, context);
}

/** The program that reaps processes in a container with `--init`. */
function initProgram(): string {
  const path = ["/usr/bin/catatonit", "/usr/libexec/podman/catatonit"].find(existsSync);
  if (path !== undefined) return path;
  throw new DockerError(
    500,
    "catatonit is not installed, which --init needs: on Debian and Ubuntu: apt-get install catatonit",
  );
}
