import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { arch, hostname, release } from "node:os";
import { posix } from "node:path";
import { defaultReadonlyPaths } from "../../cri/hidden-paths.ts";
import type { ContainerSecurityContext } from "../../cri/linux-types.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { ContainerConfig, ContainerResources } from "../../cri/runtime-types.ts";
import { cgroupFeatures } from "../../platform/cgroups/cgroup-features.ts";
import type { LinuxResources } from "../../platform/cgroups/linux-resources.ts";
import { parseMountInfo } from "../../platform/mount-info.ts";
import type {
  ContainerSettings,
  MountSettings,
  Namespace,
  NamespaceSettings,
} from "../containers/container-settings.ts";
import { type CdiSources, cdiEdits } from "../containers/oci/cdi-devices.ts";
import { allDevices, requestedDevices } from "../containers/oci/devices.ts";
import { apparmorProfile, loadedProfiles } from "../containers/security/apparmor-profile.ts";
import { criCapabilities } from "../containers/security/capabilities.ts";
import { grantableCapabilities } from "../containers/security/capability-names.ts";
import { nodeMaskedPaths } from "../containers/security/masked-paths.ts";
import { isKernelAtLeast } from "../containers/security/seccomp/kernel-version.ts";
import { seccompProfile } from "../containers/security/seccomp/seccomp-profile.ts";
import { criUser } from "../containers/user/cri-user.ts";
import { readUserFiles } from "../containers/user/user-files.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { StoredImage } from "../images/stored-image.ts";
import { mappedUsers, type Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { withImageFolders } from "./image-mounts.ts";
import { defaultCgroupParent, holderIn } from "./pid-holder.ts";
import { linuxResourcesOf } from "./translate/linux-resources-of.ts";
import { resolveMountSources } from "./translate/mount-sources.ts";
import { mountsOf } from "./translate/mounts-of.ts";
import { processArgs } from "./translate/process-args.ts";
import { processEnv } from "./translate/process-env.ts";

/** A container of a pod that is being created. */
export interface CriContainer {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly sandbox: Sandbox;
  readonly image: StoredImage;
  /** The folder of its root file system. */
  readonly rootfs: string;
}

/** Decides the settings of a container of a pod. */
export async function containerSettings(
  { id, config, sandbox, image, rootfs }: CriContainer,
  parts: EngineParts & Pick<CdiSources, "readYaml">,
): Promise<ContainerSettings> {
  const run = image.config.config ?? {};
  const { security = {}, resources } = config;
  const { privileged = false, readonlyRootfs = false } = security;
  const { add = [], drop = [], addAmbient } = security.capabilities ?? {};
  const capabilities = criCapabilities(
    { privileged, add, drop, addAmbient },
    grantableCapabilities(),
  );
  const seccomp = privileged
    ? undefined
    : await seccompProfile(security.seccomp ?? { type: "runtimeDefault" }, {
        capabilities: capabilities.bounding,
        architecture: arch(),
        kernelVersion: release(),
      });
  const { home: _, ...user } = criUser(security, run.User ?? "", await readUserFiles(rootfs));
  const env = processEnv({
    tty: config.tty,
    // A pod on the network of its node has no name of its own.
    hostname: sandbox.config.hostname || hostname(),
    image: run.Env ?? [],
    container: config.env,
  });
  const cdi = await cdiEdits(config.cdiDevices ?? [], { readYaml: parts.readYaml });
  const cgroupParent = sandbox.config.cgroupParent || defaultCgroupParent;
  return {
    args: processArgs(config, run),
    env: [...env, ...cdi.env],
    cwd: config.workingDir || run.WorkingDir || "/",
    user: { ...user, additionalGids: [...user.additionalGids, ...cdi.additionalGids] },
    tty: config.tty,
    readonlyRootfs,
    namespaces: namespacesOf(sandbox, security, parts),
    mounts: [...(await allMounts({ id, config, sandbox }, parts)), ...cdi.mounts],
    privileged,
    capabilities,
    noNewPrivileges: security.noNewPrivileges ?? false,
    seccomp,
    apparmorProfile: privileged ? undefined : apparmorProfile(security.apparmor, loadedProfiles()),
    maskedPaths: privileged ? [] : (security.maskedPaths ?? nodeMaskedPaths()),
    readonlyPaths: privileged ? [] : (security.readonlyPaths ?? defaultReadonlyPaths),
    devices: privileged
      ? await allDevices()
      : [...(await requestedDevices(config.devices ?? [])), ...cdi.devices],
    rlimits: [],
    // Those of a pod are set in its namespaces.
    sysctls: {},
    oomScoreAdj: resources.linux?.oomScoreAdj,
    cgroupsPath: cgroupsPath(cgroupParent, id, parts.runtime.cgroupManager),
    resources: linuxResourcesOf(resources, cgroupFeatures()),
    // Those of a pod are its user's: OCI runtimes have some that change units of systemd, or write files of the node.
    annotations: {},
    ...(cdi.hooks && { hooks: cdi.hooks }),
  };
}

/** Limits that replace those of a container; what they do not say is absent, and stays as it is. */
export function resourceUpdate(wanted: ContainerResources): LinuxResources {
  const given = linuxResourcesOf(wanted, cgroupFeatures());
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The path of a container's cgroup; systemd names a scope in the slice of the pod. */
function cgroupsPath(parent: string, id: string, manager: "cgroupfs" | "systemd"): string {
  return manager === "systemd" ? `${posix.basename(parent)}:cri-wherry:${id}` : `${parent}/${id}`;
}

function namespacesOf(
  sandbox: Sandbox,
  { namespaces: wanted, privileged }: ContainerSecurityContext,
  { containers }: EngineParts,
): NamespaceSettings {
  const shared = (path: string | undefined): Namespace => (path === undefined ? "host" : { path });
  const { network, ipc, uts } = sandbox.namespaces;
  const pidOf = (id: string): Namespace => {
    const state = containers.get(id)?.state;
    if (state?.phase === "running") return { path: `/proc/${state.pid}/ns/pid` };
    throw new RuntimeError(
      "Unknown",
      `invalid target container: container ${JSON.stringify(id)} is not running`,
    );
  };
  const pid = (): Namespace => {
    switch (wanted?.pid) {
      case "node":
        return "host";
      case "target":
        return pidOf(wanted.targetId ?? "");
      case "pod":
        return holderIn(sandbox.id, containers) ? pidOf(sandbox.id) : "new";
      default:
        return "new";
    }
  };
  return {
    user: mappedUsers(sandbox),
    pid: pid(),
    network: shared(network),
    ipc: shared(ipc),
    uts: shared(uts),
    cgroup: privileged || !hasUnifiedCgroups() ? "host" : "new",
  };
}

/** Whether the kernel can make a mount and all below it read-only in one step. */
export const hasRecursiveReadOnly = (): boolean => isKernelAtLeast(release(), "5.12");

/** Whether the host has cgroups v2 only, whose paths a namespace can hide. */
const hasUnifiedCgroups = (): boolean => existsSync("/sys/fs/cgroup/cgroup.controllers");

/** The container's own mounts, and the files of the pod that it does not replace. */
async function allMounts(
  { id, config, sandbox }: Pick<CriContainer, "id" | "config" | "sandbox">,
  parts: EngineParts,
): Promise<readonly MountSettings[]> {
  const { mounts = [], security } = config;
  const files = parts.sandboxes.filesOf(sandbox.id);
  const users = mappedUsers(sandbox);
  const folders = await withImageFolders(id, mounts, { ...parts, users });
  const host = parseMountInfo(await readFile("/proc/self/mountinfo", "utf8"));
  const own = mountsOf(await resolveMountSources(folders), {
    mounts: host,
    recursiveReadOnly: hasRecursiveReadOnly(),
  });
  const access = security?.readonlyRootfs ? "ro" : "rw";
  const bind = (source: string, destination: string, ...options: string[]): MountSettings => ({
    ...{ type: "bind", source, destination, options: ["rbind", "rprivate", ...options] },
  });
  const file = (source: string, destination: string): MountSettings => ({
    ...bind(source, destination, access),
    ...(sandbox.users && { idMappings: sandbox.users }),
  });
  const standard = [
    ...(sandbox.config.hostNetwork ? [] : [file(files.hostname, "/etc/hostname")]),
    file(files.hosts, "/etc/hosts"),
    file(files.resolvConf, "/etc/resolv.conf"),
    bind(sandbox.namespaces.ipc ? files.sharedMemory : "/dev/shm", "/dev/shm", "rw"),
  ];
  const isReplaced = ({ destination }: MountSettings): boolean =>
    own.some((one) => posix.normalize(one.destination) === destination);
  return [...standard.filter((one) => !isReplaced(one)), ...own];
}
