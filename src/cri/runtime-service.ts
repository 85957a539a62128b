import type {
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerResources,
  ContainerStats,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxStatus,
} from "./runtime-types.ts";
import type { ExecResult, LogOptions, LogPiece, StreamSession, StreamTarget } from "./streams.ts";

/**
 * A container runtime: CRI v1, with logs and streams as values instead of files and addresses. Calls for
 * unknown IDs reject with a `RuntimeError` with code `NotFound`; stopping or removing something that does
 * not exist is not an error.
 */
export interface RuntimeService {
  version(): Promise<RuntimeVersion>;
  /** Creates the sandbox of a pod with its network; resolves with its ID. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  /** Kills the containers in it, and releases its network. */
  stopPodSandbox(id: string): Promise<void>;
  removePodSandbox(id: string): Promise<void>;
  podSandboxStatus(id: string): Promise<PodSandboxStatus>;
  /** The newest first. */
  listPodSandboxes(filter?: PodSandboxFilter): Promise<readonly PodSandboxStatus[]>;
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** Stops a container, and kills it after so many seconds; resolves when it has ended. */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  containerStatus(id: string): Promise<ContainerStatus>;
  /** The newest first. */
  listContainers(filter?: ContainerFilter): Promise<readonly ContainerStatus[]>;
  updateContainerResources(id: string, resources: ContainerResources): Promise<void>;
  containerStats(id: string): Promise<ContainerStats>;
  /** Runs a command until its end or a timeout in seconds; 0 for no timeout. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Runs a command with streams; resolves when it has ended. */
  exec(target: StreamTarget, session: StreamSession): Promise<number>;
  /** Attaches streams to a container's first process; resolves when it ends or the client disconnects. */
  attach(target: StreamTarget, session: StreamSession): Promise<number>;
  logs(id: string, options: LogOptions): AsyncIterable<LogPiece>;
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

  constructor(code: RuntimeErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether an error has the code `NotFound`. */
  static isNotFound(error: unknown): boolean {
    return error instanceof RuntimeError && error.code === "NotFound";
  }
}

export type RuntimeErrorCode =
  | "NotFound"
  | "InvalidArgument"
  | "FailedPrecondition"
  | "DeadlineExceeded"
  | "Unavailable"
  | "Unknown";
