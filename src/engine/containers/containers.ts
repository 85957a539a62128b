import type { StreamSession, TerminalSize } from "../../cri/streams.ts";
import type { LinuxResources } from "../../platform/cgroups/linux-resources.ts";
import type { MappedUsers } from "../snapshots/mapped-users.ts";
import type { ContainerSettings, ProcessUser } from "./container-settings.ts";

/** The containers of an engine, whichever interface they were made through. */
export interface Containers {
  /** Writes the record of a container and creates its file system. */
  create(container: NewContainer): Promise<void>;
  /**
   * Starts a container that was created or has ended. Settings that are known only now, such as the path of its
   * network, replace the recorded ones.
   */
  start(id: string, settings?: Partial<ContainerSettings>): Promise<void>;
  /** Sends a signal to its first process. */
  kill(id: string, signal: string): Promise<void>;
  /** Sends a signal, and SIGKILL after so many milliseconds; resolves when it has ended. */
  stop(id: string, options: StopOptions): Promise<void>;
  pause(id: string): Promise<void>;
  unpause(id: string): Promise<void>;
  /** Kills it if it runs, and removes all of it but its log; one that does not exist is not an error. */
  remove(id: string): Promise<void>;
  get(id: string): Container | undefined;
  list(): readonly Container[];
  /** Replaces what an interface recorded about its container. */
  setDetails(id: string, details: object): Promise<void>;
  /** Resolves when it is not running. */
  wait(id: string, signal?: AbortSignal): Promise<Container>;
  /** Mounts its file system, unless it is mounted; resolves with the folder of its root. */
  rootfs(id: string): Promise<string>;
  /** Runs a command in a running container; resolves with its exit code. */
  exec(id: string, command: ExecCommand, session: StreamSession): Promise<number>;
  /**
   * Connects streams to its first process; resolves when it has ended or the client has disconnected. One that does
   * not run is awaited if it was never started, or if it will be started again (`nextRun`).
   */
  attach(id: string, session: StreamSession, options?: AttachOptions): Promise<void>;
  resize(id: string, size: TerminalSize): Promise<void>;
  /** Continues its log in a new file at the same path, after the old one was renamed. */
  reopenLog(id: string): Promise<void>;
  update(id: string, resources: LinuxResources): Promise<void>;
  /** The pids of its processes, as the host sees them. */
  pids(id: string): Promise<readonly number[]>;
  /** Notifies of every change from now on, in order, until the returned function is called. */
  onChange(listener: (change: ContainerChange) => void): () => void;
}

export interface AttachOptions {
  readonly nextRun?: boolean;
  /** Whether the client leaves when its own input has ended. */
  readonly leavesWithInput?: boolean;
}

export interface NewContainer {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** The interface that made it. */
  readonly owner: "cri" | "docker";
  /** The diff IDs of the layers of its file system, the lowest first. */
  readonly layers: readonly string[];
  /** Other snapshots that it mounts, and that go with it. */
  readonly snapshots?: readonly string[] | undefined;
  /** The users of its user namespace, which its file systems belong to; absent for those of the node. */
  readonly users?: MappedUsers | undefined;
  /** Its settings, or what decides them with a look at its file system, such as at the users in it. */
  readonly settings: ContainerSettings | ((rootfs: string) => Promise<ContainerSettings>);
  /** The file of its log, in the form of CRI; if absent, one that is removed with the container. */
  readonly logPath?: string | undefined;
  /** The path of the OCI runtime that runs it, if it is not the engine's usual one. */
  readonly ociProgram?: string | undefined;
  readonly stdin: boolean;
  /** Whether its input ends when the first client that attached has disconnected. */
  readonly stdinOnce: boolean;
  /** What the interface needs to know of it: JSON. */
  readonly details: object;
}

/** A container as it is now. */
export interface Container extends NewContainer {
  readonly settings: ContainerSettings;
  readonly logPath: string;
  /** In milliseconds since the epoch, as all times here. */
  readonly createdAt: number;
  readonly state: ContainerRunState;
}

export type ContainerRunState =
  | { readonly phase: "created" }
  | { readonly phase: "starting" }
  | {
      readonly phase: "running";
      readonly pid: number;
      readonly startedAt: number;
      readonly isPaused: boolean;
    }
  | {
      readonly phase: "exited";
      /** 0 if it was never started. */
      readonly startedAt: number;
      readonly finishedAt: number;
      /** 255 if it is not known, such as after a reboot. */
      readonly exitCode: number;
      readonly reason: "Completed" | "Error" | "OOMKilled" | "StartError" | "Unknown";
      /** Why it could not be started, or why its end is not known. */
      readonly message: string;
    };

export interface StopOptions {
  /** Such as `SIGTERM`. */
  readonly signal: string;
  readonly timeoutMs: number;
  readonly abort?: AbortSignal | undefined;
}

export interface ExecCommand {
  readonly args: readonly string[];
  readonly tty: boolean;
  /** By default the environment, folder and user of the container. */
  readonly env?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly user?: ProcessUser | undefined;
  readonly privileged?: boolean | undefined;
  /** The size of the terminal at its start. */
  readonly size?: TerminalSize | undefined;
  /** Kills the command after so many milliseconds; the call then rejects with a DeadlineExceeded error. */
  readonly timeoutMs?: number | undefined;
  /** Called with the pid of the command, as the host sees it. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

export interface ContainerChange {
  readonly type:
    | "created"
    | "started"
    | "paused"
    | "unpaused"
    | "oom"
    | "exited"
    | "updated"
    | "deleted";
  readonly container: Container;
  readonly at: number;
}
