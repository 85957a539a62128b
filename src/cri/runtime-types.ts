/** A pod as a runtime knows it. */
export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  readonly hostname: string;
  /** Whether it uses the node's network, and has no address of its own. */
  readonly hostNetwork: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PodSandboxMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** How often the pod got a sandbox before. */
  readonly attempt: number;
}

export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly state: "ready" | "notReady";
  /** In milliseconds since the epoch, as all times here. */
  readonly createdAt: number;
  /** Its addresses; none where it uses the node's network. */
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
}

export interface PodSandboxFilter {
  readonly id?: string | undefined;
  readonly podUid?: string | undefined;
}

/** The configuration of a container that is requested. */
export interface ContainerConfig {
  readonly metadata: ContainerMetadata;
  readonly image: string;
  /** Which container of a pod's it is. */
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
  /** Where it may leave its last words. */
  readonly terminationMessagePath: string;
  /** `SIGTERM` if not given. */
  readonly stopSignal?: string | undefined;
}

export interface ContainerMetadata {
  readonly name: string;
  /** How often it was made before. */
  readonly attempt: number;
}

export interface EnvVar {
  readonly name: string;
  readonly value: string;
}

/** What a container gets; absent is without bound. */
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
  /** The image by its full name, by the name that was asked for, and what it was. */
  readonly image: string;
  readonly userSpecifiedImage: string;
  readonly imageRef: string;
  /** Why it ended: `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  /** Its last words. */
  readonly message: string;
  readonly resources: ContainerResources;
}

export interface ContainerFilter {
  readonly id?: string | undefined;
  readonly sandboxId?: string | undefined;
  readonly podUid?: string | undefined;
  readonly state?: ContainerState | undefined;
}

/** What a container uses. */
export interface ContainerStats {
  readonly id: string;
  readonly name: string;
  readonly at: number;
  /** Of a core, in billionths. */
  readonly cpuNanoCores: number;
  /** Since its start, in nanoseconds of a core. */
  readonly cpuCoreNanoSeconds: bigint;
  readonly memoryWorkingSetBytes: number;
  readonly memoryUsageBytes: number;
  readonly memoryRssBytes: number;
  readonly filesystemUsedBytes: number;
}

/** A change of a container, or of a sandbox, whose container is its ID. */
export interface ContainerEvent {
  readonly type: "created" | "started" | "stopped" | "deleted";
  readonly containerId: string;
  readonly podUid: string;
  readonly at: number;
}
