import type {
  ContainerDevice,
  ContainerMount,
  ContainerSecurityContext,
  DnsConfig,
  LinuxContainerResources,
  NamespaceOptions,
  PortMapping,
  SecurityContext,
} from "./linux-types.ts";

/** The configuration of a pod's sandbox. A runtime without containers ignores what is optional. */
export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  readonly hostname: string;
  /** Whether it uses the node's network and has no address. */
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The folder of its containers' logs. */
  readonly logDirectory?: string | undefined;
  /** The content of `/etc/resolv.conf`; the node's if absent. */
  readonly dns?: DnsConfig | undefined;
  readonly portMappings?: readonly PortMapping[] | undefined;
  /** The cgroup of the pod, in which those of its containers are created. */
  readonly cgroupParent?: string | undefined;
  readonly sysctls?: Readonly<Record<string, string>> | undefined;
  readonly security?: SecurityContext | undefined;
  /** The handler of the pod's runtime class. */
  readonly runtimeHandler?: string | undefined;
  /** The limits of the pod's cgroup, which a kubelet has set already. */
  readonly resources?: PodSandboxResources | undefined;
}

/** The limits of all containers of a pod together, and what the sandbox itself needs. */
export interface PodSandboxResources {
  readonly containers?: LinuxContainerResources | undefined;
  readonly overhead?: LinuxContainerResources | undefined;
}

export interface PodSandboxMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The number of the pod's earlier sandboxes. */
  readonly attempt: number;
}

export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly state: "ready" | "notReady";
  /** In milliseconds since the epoch, as all times here. */
  readonly createdAt: number;
  /** Its addresses; none on the node's network. */
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespaces?: NamespaceOptions | undefined;
  readonly runtimeHandler?: string | undefined;
  /** For people; only where it was requested. */
  readonly info?: Readonly<Record<string, string>> | undefined;
}

export interface StatusOptions {
  /** Whether to add information for people. */
  readonly verbose?: boolean | undefined;
}

export interface PodSandboxFilter {
  readonly id?: string | undefined;
  readonly podUid?: string | undefined;
  readonly state?: PodSandboxStatus["state"] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** The requested configuration of a container. */
export interface ContainerConfig {
  readonly metadata: ContainerMetadata;
  readonly image: string;
  /** The role of the container in its pod. */
  readonly kind: "container" | "init" | "sidecar" | "ephemeral";
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly env: readonly EnvVar[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: ContainerResources;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** The path of its termination message. */
  readonly terminationMessagePath: string;
  /** That of the image, or `SIGTERM`, if not given. */
  readonly stopSignal?: string | undefined;
  readonly mounts?: readonly ContainerMount[] | undefined;
  readonly devices?: readonly ContainerDevice[] | undefined;
  /** Fully qualified names of devices that a file of the node describes. */
  readonly cdiDevices?: readonly string[] | undefined;
  /** The file of its log, relative to the sandbox's folder of logs. */
  readonly logPath?: string | undefined;
  readonly security?: ContainerSecurityContext | undefined;
  /** The name of the image in the pod, if `image` is the ID of an image. */
  readonly userSpecifiedImage?: string | undefined;
}

export interface ContainerMetadata {
  readonly name: string;
  /** The number of earlier containers of this name. */
  readonly attempt: number;
}

export interface EnvVar {
  readonly name: string;
  readonly value: string;
}

/** The resources of a container; absent ones are unlimited. */
export interface ContainerResources {
  readonly cpuRequestMillis?: number | undefined;
  readonly cpuLimitMillis?: number | undefined;
  readonly memoryRequestBytes?: number | undefined;
  readonly memoryLimitBytes?: number | undefined;
  /** The limits as a kubelet computed them; if absent, they follow from the others. */
  readonly linux?: LinuxContainerResources | undefined;
}

export type ContainerState = "created" | "running" | "exited" | "unknown";

export interface ContainerStatus {
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  readonly metadata: ContainerMetadata;
  readonly state: ContainerState;
  readonly createdAt: number;
  /** 0 before it was started. */
  readonly startedAt: number;
  /** 0 before it has ended. */
  readonly finishedAt: number;
  readonly exitCode: number;
  /** The full name of the image, the requested name, and its reference. */
  readonly image: string;
  readonly userSpecifiedImage: string;
  readonly imageRef: string;
  /** Why it ended: `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  /** Its termination message. */
  readonly message: string;
  readonly resources: ContainerResources;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The ID of its image, if it is not known by its reference. */
  readonly imageId?: string | undefined;
  readonly mounts?: readonly ContainerMount[] | undefined;
  /** The whole path of its log. */
  readonly logPath?: string | undefined;
  /** Whom its first process runs as. */
  readonly user?: ContainerUser | undefined;
  readonly stopSignal?: string | undefined;
  /** For people; only where it was requested. */
  readonly info?: Readonly<Record<string, string>> | undefined;
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

export interface ContainerFilter {
  readonly id?: string | undefined;
  readonly sandboxId?: string | undefined;
  readonly podUid?: string | undefined;
  readonly state?: ContainerState | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export interface CheckpointOptions {
  /** The file of the checkpoint. */
  readonly location: string;
  /** 0 for no timeout. */
  readonly timeoutSeconds: number;
}

/** A change of a container, or of a sandbox, for which `containerId` is the sandbox's ID. */
export interface ContainerEvent {
  readonly type: "created" | "started" | "stopped" | "deleted";
  readonly containerId: string;
  readonly podUid: string;
  readonly at: number;
}
