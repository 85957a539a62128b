/** The configuration of a pod's sandbox. */
export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  readonly hostname: string;
  /** Whether it uses the node's network and has no address. */
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
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
}

export interface PodSandboxFilter {
  readonly id?: string | undefined;
  readonly podUid?: string | undefined;
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
  /** `SIGTERM` if not given. */
  readonly stopSignal?: string | undefined;
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
}

export interface ContainerFilter {
  readonly id?: string | undefined;
  readonly sandboxId?: string | undefined;
  readonly podUid?: string | undefined;
  readonly state?: ContainerState | undefined;
}

/** The resource usage of a container. */
export interface ContainerStats {
  readonly id: string;
  readonly name: string;
  readonly at: number;
  /** CPU usage in billionths of a core. */
  readonly cpuNanoCores: number;
  /** CPU time since its start, in nanoseconds. */
  readonly cpuCoreNanoSeconds: bigint;
  readonly memoryWorkingSetBytes: number;
  readonly memoryUsageBytes: number;
  readonly memoryRssBytes: number;
  readonly filesystemUsedBytes: number;
}

/** A change of a container, or of a sandbox, for which `containerId` is the sandbox's ID. */
export interface ContainerEvent {
  readonly type: "created" | "started" | "stopped" | "deleted";
  readonly containerId: string;
  readonly podUid: string;
  readonly at: number;
}
