/** Where a container's processes see and are seen: `target` is the container with the ID `targetId`. */
export interface NamespaceOptions {
  readonly network: "pod" | "node";
  readonly pid: "pod" | "container" | "node" | "target";
  readonly ipc: "pod" | "node";
  readonly targetId?: string | undefined;
  readonly user?: UserNamespaceOptions | undefined;
}

export interface UserNamespaceOptions {
  readonly mode: "pod" | "node";
  readonly uids: readonly IdRange[];
  readonly gids: readonly IdRange[];
}

export interface IdRange {
  readonly containerId: number;
  readonly hostId: number;
  readonly length: number;
}

/** What a pod's sandbox and its containers may do; absent settings are the runtime's defaults. */
export interface SecurityContext {
  readonly namespaces?: NamespaceOptions | undefined;
  readonly privileged?: boolean | undefined;
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly readonlyRootfs?: boolean | undefined;
  readonly supplementalGroups?: readonly number[] | undefined;
  /** `merge` adds the groups that the image has for the user. */
  readonly supplementalGroupsPolicy?: "merge" | "strict" | undefined;
  readonly selinux?: SelinuxOptions | undefined;
  readonly seccomp?: SecurityProfile | undefined;
  readonly apparmor?: SecurityProfile | undefined;
}

export interface ContainerSecurityContext extends SecurityContext {
  readonly capabilities?:
    | {
        /** Names without `CAP_`, or `ALL`. */
        readonly add: readonly string[];
        readonly drop: readonly string[];
        readonly addAmbient?: readonly string[] | undefined;
      }
    | undefined;
  /** A name in the image; `runAsUser` has priority. */
  readonly runAsUsername?: string | undefined;
  readonly noNewPrivileges?: boolean | undefined;
  readonly maskedPaths?: readonly string[] | undefined;
  readonly readonlyPaths?: readonly string[] | undefined;
}

export interface SelinuxOptions {
  readonly user: string;
  readonly role: string;
  readonly type: string;
  readonly level: string;
}

/** A profile of seccomp or AppArmor; `localhost` names a file or a loaded profile of the node. */
export type SecurityProfile =
  | { readonly type: "runtimeDefault" }
  | { readonly type: "unconfined" }
  | { readonly type: "localhost"; readonly ref: string };

export interface ContainerMount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly?: boolean | undefined;
  readonly recursiveReadOnly?: boolean | undefined;
  readonly selinuxRelabel?: boolean | undefined;
  readonly propagation?: "private" | "hostToContainer" | "bidirectional" | undefined;
  readonly uidMappings?: readonly IdRange[] | undefined;
  readonly gidMappings?: readonly IdRange[] | undefined;
  /** An image to mount instead of a path of the node, and the folder in it. */
  readonly image?: string | undefined;
  readonly imageSubPath?: string | undefined;
}

export interface ContainerDevice {
  readonly containerPath: string;
  readonly hostPath: string;
  /** `r`, `w` and `m` for making the node. */
  readonly permissions: string;
}

export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface PortMapping {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly containerPort: number;
  readonly hostPort: number;
  readonly hostIp: string;
}

/** The limits of a cgroup; 0 and absent leave a value as it is. */
export interface LinuxContainerResources {
  readonly cpuPeriod?: number | undefined;
  readonly cpuQuota?: number | undefined;
  readonly cpuShares?: number | undefined;
  readonly memoryLimitBytes?: number | undefined;
  readonly memorySwapLimitBytes?: number | undefined;
  readonly oomScoreAdj?: number | undefined;
  readonly cpusetCpus?: string | undefined;
  readonly cpusetMems?: string | undefined;
  readonly hugepageLimits?:
    | readonly { readonly pageSize: string; readonly limit: number }[]
    | undefined;
  readonly unified?: Readonly<Record<string, string>> | undefined;
}
