import type {
  ContainerSettings,
  IdMapping,
  Namespace,
  NamespaceSettings,
} from "../container-settings.ts";
import { clampOomScoreAdj } from "./clamp-oom-score-adj.ts";
import { deviceRules } from "./device-rules.ts";
import { ociMounts, rootfsPropagation } from "./oci-mounts.ts";
import { ociResources } from "./oci-resources.ts";
import type { OciConfig, OciIdMapping, OciLinux, OciNamespace, OciProcess } from "./oci-types.ts";

interface OciConfigOptions {
  /** The mounted root file system. */
  readonly rootfs: string;
  /** The lowest oom_score_adj that the engine may set; absent if it may set all. */
  readonly lowestOomScoreAdj?: number | undefined;
}

/** The configuration by which an OCI runtime runs a container. */
export function ociConfig(settings: ContainerSettings, options: OciConfigOptions): OciConfig {
  return {
    ociVersion: "1.0.2",
    process: processOf(settings, options.lowestOomScoreAdj),
    root: { path: options.rootfs, readonly: settings.readonlyRootfs },
    ...(settings.hostname !== undefined &&
      settings.namespaces.uts === "new" && { hostname: settings.hostname }),
    mounts: ociMounts(settings),
    annotations: settings.annotations,
    ...(settings.hooks && { hooks: settings.hooks }),
    linux: linuxOf(settings),
  };
}

function processOf(settings: ContainerSettings, lowestOomScoreAdj: number | undefined): OciProcess {
  const { user, apparmorProfile, selinuxLabel, oomScoreAdj } = settings;
  return {
    terminal: settings.tty,
    user: { uid: user.uid, gid: user.gid, additionalGids: user.additionalGids },
    args: settings.args,
    env: settings.env,
    cwd: settings.cwd,
    capabilities: settings.capabilities,
    rlimits: settings.rlimits.map(({ type, hard, soft }) => ({ type, hard, soft })),
    noNewPrivileges: settings.noNewPrivileges,
    ...(oomScoreAdj !== undefined && {
      oomScoreAdj: clampOomScoreAdj(oomScoreAdj, lowestOomScoreAdj),
    }),
    // Without AppArmor, runc refuses any name, even that of no profile.
    ...(apparmorProfile !== undefined && apparmorProfile !== "unconfined" && { apparmorProfile }),
    ...(selinuxLabel !== undefined && { selinuxLabel }),
  };
}

function linuxOf(settings: ContainerSettings): OciLinux {
  const { user } = settings.namespaces;
  const propagation = rootfsPropagation(settings.mounts);
  return {
    namespaces: namespacesOf(settings.namespaces),
    // A namespace that is joined has its mappings.
    ...(user !== undefined &&
      user.path === undefined && {
        uidMappings: user.uidMappings.map(mappingOf),
        gidMappings: user.gidMappings.map(mappingOf),
      }),
    devices: settings.devices.map(({ access: _access, ...device }) => device),
    cgroupsPath: settings.cgroupsPath,
    resources: {
      devices: deviceRules(settings.devices, settings.privileged),
      ...ociResources(settings.resources),
    },
    ...(Object.keys(settings.sysctls).length > 0 && { sysctl: settings.sysctls }),
    ...(settings.seccomp !== undefined && { seccomp: settings.seccomp }),
    ...(propagation !== undefined && { rootfsPropagation: propagation }),
    maskedPaths: settings.privileged ? [] : settings.maskedPaths,
    readonlyPaths: settings.privileged ? [] : settings.readonlyPaths,
  };
}

function namespacesOf(settings: NamespaceSettings): OciNamespace[] {
  const { user } = settings;
  return [
    ...namespaceOf("pid", settings.pid),
    ...namespaceOf("ipc", settings.ipc),
    ...namespaceOf("uts", settings.uts),
    ...namespaceOf("mount", "new"),
    ...namespaceOf("network", settings.network),
    ...namespaceOf("cgroup", settings.cgroup),
    ...(user === undefined
      ? []
      : namespaceOf("user", user.path === undefined ? "new" : { path: user.path })),
  ];
}

function namespaceOf(type: OciNamespace["type"], namespace: Namespace): OciNamespace[] {
  if (namespace === "host") return [];
  return [namespace === "new" ? { type } : { type, path: namespace.path }];
}

function mappingOf({ containerID, hostID, size }: IdMapping): OciIdMapping {
  return { containerID, hostID, size };
}
