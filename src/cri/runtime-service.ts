import type { RuntimeConfig, RuntimeStatus } from "./runtime-status.ts";
import type {
  CheckpointOptions,
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerResources,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxResources,
  PodSandboxStatus,
  StatusOptions,
} from "./runtime-types.ts";
import type {
  ContainerStats,
  ContainerStatsFilter,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
  PodSandboxStatsFilter,
} from "./stats-types.ts";
import type {
  ExecResult,
  ForwardSession,
  LogOptions,
  LogPiece,
  StreamSession,
  StreamTarget,
} from "./streams.ts";

/**
 * A container runtime: CRI v1, with logs and streams as values instead of files and addresses. An ID may be
 * shortened to a prefix that no other has. Calls for unknown IDs reject with a `RuntimeError` with code
 * `NotFound`; stopping or removing something that does not exist is not an error. What a runtime does not have
 * is rejected with the code `Unimplemented`.
 */
export interface RuntimeService {
  version(): Promise<RuntimeVersion>;
  status(options?: StatusOptions): Promise<RuntimeStatus>;
  /** The settings of the runtime that a kubelet must share. */
  runtimeConfig(): Promise<RuntimeConfig>;
  /** Sets the range of pod addresses of the node. */
  updateRuntimeConfig(config: { readonly podCidr: string }): Promise<void>;

  /** Creates the sandbox of a pod with its network; resolves with its ID. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  /** Kills the containers in it, and releases its network. */
  stopPodSandbox(id: string): Promise<void>;
  removePodSandbox(id: string): Promise<void>;
  podSandboxStatus(id: string, options?: StatusOptions): Promise<PodSandboxStatus>;
  /** The newest first. */
  listPodSandboxes(filter?: PodSandboxFilter): Promise<readonly PodSandboxStatus[]>;
  updatePodSandboxResources(id: string, resources: PodSandboxResources): Promise<void>;

  /** Creates a container in a sandbox, whose configuration is given once more; resolves with its ID. */
  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: PodSandboxConfig,
  ): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** Stops a container, and kills it after so many seconds; resolves when it has ended. */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  containerStatus(id: string, options?: StatusOptions): Promise<ContainerStatus>;
  /** The newest first. */
  listContainers(filter?: ContainerFilter): Promise<readonly ContainerStatus[]>;
  updateContainerResources(id: string, resources: ContainerResources): Promise<void>;
  checkpointContainer(id: string, options: CheckpointOptions): Promise<void>;

  /** The usage of a running container. */
  containerStats(id: string): Promise<ContainerStats>;
  /** The usage of all running containers, or those that a filter selects. */
  listContainerStats(filter?: ContainerStatsFilter): Promise<readonly ContainerStats[]>;
  podSandboxStats(id: string): Promise<PodSandboxStats>;
  listPodSandboxStats(filter?: PodSandboxStatsFilter): Promise<readonly PodSandboxStats[]>;
  listMetricDescriptors(): Promise<readonly MetricDescriptor[]>;
  listPodSandboxMetrics(): Promise<readonly PodSandboxMetrics[]>;

  /** Runs a command until its end or a timeout in seconds; 0 for no timeout. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Runs a command with streams; resolves when it has ended. */
  exec(target: StreamTarget, session: StreamSession): Promise<number>;
  /** Attaches streams to a container's first process; resolves when it ends or the client disconnects. */
  attach(target: StreamTarget, session: StreamSession): Promise<number>;
  /** Connects a client to a port of a pod's loopback; resolves when the connection has ended. */
  portForward(sandboxId: string, port: number, session: ForwardSession): Promise<void>;
  logs(id: string, options: LogOptions): AsyncIterable<LogPiece>;
  /** Continues the log in a new file at the same path, after the old one was renamed. */
  reopenContainerLog(id: string): Promise<void>;
  /** Notifies of every change from now on, in order, until the returned function is called. */
  containerEvents(listener: (event: ContainerEvent) => void): () => void;
}

export interface RuntimeVersion {
  /** The prefix of container IDs, such as `containerd`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

/** An error of a runtime, with a code of gRPC. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** Whether an error has the code `NotFound`. */
  static isNotFound(error: unknown): boolean {
    return error instanceof RuntimeError && error.code === "NotFound";
  }
}

/** The codes of gRPC, with Go's names. */
export type RuntimeErrorCode =
  | "Canceled"
  | "Unknown"
  | "InvalidArgument"
  | "DeadlineExceeded"
  | "NotFound"
  | "AlreadyExists"
  | "PermissionDenied"
  | "ResourceExhausted"
  | "FailedPrecondition"
  | "Aborted"
  | "OutOfRange"
  | "Unimplemented"
  | "Internal"
  | "Unavailable"
  | "DataLoss"
  | "Unauthenticated";
