import type { LinuxResources } from "../../platform/cgroups/linux-resources.ts";

/**
 * All that an OCI configuration says of a container, resolved: users are numbers, profiles are values,
 * paths are absolute. Both interfaces of the engine translate their requests into it.
 */
export interface ContainerSettings {
  readonly args: readonly string[];
  /** `NAME=VALUE` each. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly user: ProcessUser;
  /** Whether its streams are a terminal. */
  readonly tty: boolean;
  readonly hostname?: string | undefined;
  readonly readonlyRootfs: boolean;
  readonly namespaces: NamespaceSettings;
  /** In the order in which they are mounted, after the standard ones. */
  readonly mounts: readonly MountSettings[];
  readonly privileged: boolean;
  readonly capabilities: CapabilitySets;
  readonly noNewPrivileges: boolean;
  /** A seccomp profile in the form of an OCI configuration; absent for none. */
  readonly seccomp?: object | undefined;
  readonly apparmorProfile?: string | undefined;
  readonly selinuxLabel?: string | undefined;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly devices: readonly DeviceSettings[];
  readonly rlimits: readonly RlimitSettings[];
  readonly sysctls: Readonly<Record<string, string>>;
  readonly oomScoreAdj?: number | undefined;
  /** The path of its cgroup in every hierarchy, such as `/kubepods/podUID/ID`. */
  readonly cgroupsPath: string;
  readonly resources: LinuxResources;
  readonly annotations: Readonly<Record<string, string>>;
  /** Programs of the node that the OCI runtime runs, by the moment: devices of vendors need some. */
  readonly hooks?: HookSettings | undefined;
}

/** The moments at which an OCI runtime runs hooks. */
export const hookMoments = [
  "prestart",
  "createRuntime",
  "createContainer",
  "startContainer",
  "poststart",
  "poststop",
] as const;
export type HookMoment = (typeof hookMoments)[number];

export type HookSettings = Readonly<Partial<Record<HookMoment, readonly Hook[]>>>;

/** A program of the node that gets the state of the container on its standard input. */
export interface Hook {
  readonly path: string;
  readonly args?: readonly string[];
  readonly env?: readonly string[];
  /** In seconds. */
  readonly timeout?: number;
}

export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
}

/** A namespace of a container: its own, the host's, or that of a path. */
export type Namespace = "new" | "host" | { readonly path: string };

/** The mount namespace is always new. */
export interface NamespaceSettings {
  readonly pid: Namespace;
  readonly network: Namespace;
  readonly ipc: Namespace;
  readonly uts: Namespace;
  readonly cgroup: Namespace;
  /** With mappings of users and groups where it is new. */
  readonly user?: UserNamespace | undefined;
}

export interface UserNamespace extends IdMappings {
  readonly path?: string | undefined;
}

/** The users and groups of a container, as IDs of the node. */
export interface IdMappings {
  readonly uidMappings: readonly IdMapping[];
  readonly gidMappings: readonly IdMapping[];
}

export interface IdMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: number;
}

export interface MountSettings {
  /** `bind`, `tmpfs` and other file systems. */
  readonly type: string;
  readonly source: string;
  readonly destination: string;
  /** Such as `rbind`, `ro`, `rprivate`, `size=64m`. */
  readonly options: readonly string[];
  /** How the IDs of the files are those of the container; absent if they are the node's. */
  readonly idMappings?: IdMappings | undefined;
}

export interface CapabilitySets {
  readonly bounding: readonly string[];
  readonly effective: readonly string[];
  readonly permitted: readonly string[];
  readonly inheritable: readonly string[];
  readonly ambient: readonly string[];
}

export interface DeviceSettings {
  readonly path: string;
  readonly type: "c" | "b" | "p";
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
  /** What the container may do: `r`, `w` and `m` for making the node. */
  readonly access: string;
}

export interface RlimitSettings {
  /** Such as `RLIMIT_NOFILE`. */
  readonly type: string;
  readonly soft: number;
  readonly hard: number;
}
