import type { HookSettings } from "../container-settings.ts";
/** The configuration of a container for an OCI runtime, as far as the engine uses it. */
export interface OciConfig {
  readonly ociVersion: string;
  readonly process: OciProcess;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly hostname?: string;
  readonly mounts: readonly OciMount[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly hooks?: HookSettings;
  readonly linux: OciLinux;
}

export interface OciProcess {
  readonly terminal: boolean;
  readonly user: {
    readonly uid: number;
    readonly gid: number;
    readonly additionalGids: readonly number[];
  };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: Readonly<Record<OciCapabilitySet, readonly string[]>>;
  /** A value of -1 is no limit, which only `encodeOciConfig` can write. */
  readonly rlimits: readonly OciRlimit[];
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj?: number;
  readonly apparmorProfile?: string;
  readonly selinuxLabel?: string;
}

type OciCapabilitySet = "bounding" | "effective" | "permitted" | "inheritable" | "ambient";

export interface OciRlimit {
  readonly type: string;
  readonly hard: number;
  readonly soft: number;
}

export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
  readonly uidMappings?: readonly OciIdMapping[];
  readonly gidMappings?: readonly OciIdMapping[];
}

export interface OciLinux {
  readonly namespaces: readonly OciNamespace[];
  readonly uidMappings?: readonly OciIdMapping[];
  readonly gidMappings?: readonly OciIdMapping[];
  readonly devices: readonly OciDevice[];
  readonly cgroupsPath: string;
  readonly resources: OciResources;
  readonly sysctl?: Readonly<Record<string, string>>;
  readonly seccomp?: object;
  readonly rootfsPropagation?: string;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
}

export interface OciNamespace {
  readonly type: "pid" | "network" | "ipc" | "uts" | "mount" | "cgroup" | "user";
  readonly path?: string;
}

export interface OciIdMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: number;
}

export interface OciDevice {
  readonly path: string;
  readonly type: string;
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

/** A rule of the device cgroup; an absent number is every number. */
export interface OciDeviceRule {
  readonly allow: boolean;
  readonly type?: string;
  readonly major?: number;
  readonly minor?: number;
  readonly access: string;
}

export interface OciResources {
  readonly devices?: readonly OciDeviceRule[];
  readonly cpu?: {
    readonly shares?: number;
    readonly quota?: number;
    readonly period?: number;
    readonly cpus?: string;
    readonly mems?: string;
  };
  readonly memory?: {
    readonly limit?: number;
    readonly reservation?: number;
    readonly swap?: number;
    readonly disableOOMKiller?: boolean;
  };
  readonly pids?: { readonly limit: number };
  readonly blockIO?: { readonly weight: number };
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  readonly unified?: Readonly<Record<string, string>>;
}
