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
 * What a kubelet asks of a container runtime: CRI v1, with logs and streams as values instead of files
 * and addresses. What is not there is refused with a `RuntimeError` that says `NotFound`; to stop or
 * remove what is gone already is no fault.
 */
export interface RuntimeService {
  version(): Promise<RuntimeVersion>;
  /** Makes the sandbox of a pod, with its network, and resolves with its ID. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  /** Ends what runs in it, by force, and gives back its network. */
  stopPodSandbox(id: string): Promise<void>;
  removePodSandbox(id: string): Promise<void>;
  podSandboxStatus(id: string): Promise<PodSandboxStatus>;
  /** The newest first. */
  listPodSandboxes(filter?: PodSandboxFilter): Promise<readonly PodSandboxStatus[]>;
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** Asks it to end, and ends it by force after so many seconds; resolves when it has ended. */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  containerStatus(id: string): Promise<ContainerStatus>;
  /** The newest first. */
  listContainers(filter?: ContainerFilter): Promise<readonly ContainerStatus[]>;
  updateContainerResources(id: string, resources: ContainerResources): Promise<void>;
  containerStats(id: string): Promise<ContainerStats>;
  /** Runs a command to its end, or until so many seconds have passed (0: however long it takes). */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Runs a command with streams; resolves when it has ended. */
  exec(target: StreamTarget, session: StreamSession): Promise<number>;
  /** Connects streams with a container's first process; resolves when it has ended, or nobody listens. */
  attach(target: StreamTarget, session: StreamSession): Promise<number>;
  logs(id: string, options: LogOptions): AsyncIterable<LogPiece>;
  /** Notifies of every change from now on, in order, until the returned function is called. */
  containerEvents(listener: (event: ContainerEvent) => void): () => void;
}

export interface RuntimeVersion {
  /** `containerd`, for example: IDs begin with it. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

/** What a runtime refuses or cannot do, with one of gRPC's words for why. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether an error says that what was asked for is not there. */
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
