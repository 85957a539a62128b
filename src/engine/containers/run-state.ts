import type { ProcessIdentity } from "../../platform/process-identity.ts";
import type { ContainerRunState } from "./containers.ts";

/** The run state of a container as it is on disk: processes are identified by more than their pids. */
export type RunState =
  | { readonly phase: "created" }
  /** Written before anything of the container runs, with the size of its log. */
  | { readonly phase: "starting"; readonly logSize?: number }
  | RunningState
  | ExitedState
  /** Written before anything of the container is removed. */
  | { readonly phase: "removing" };

export interface RunningState {
  readonly phase: "running";
  /** The first process of the container, and conmon, which waits for its end. */
  readonly process: ProcessIdentity;
  readonly monitor: ProcessIdentity;
  readonly startedAt: number;
  readonly isPaused: boolean;
}

export type ExitedState = Extract<ContainerRunState, { readonly phase: "exited" }>;

/** What is found of a container that was running. */
export interface FoundOfContainer {
  /** What conmon recorded at its end. */
  readonly exit?: { readonly code: number; readonly at: number } | undefined;
  readonly isOom: boolean;
  readonly isProcessRunning: boolean;
  readonly isMonitorRunning: boolean;
  /** Whether its process was let run; only of interest for one that was starting. */
  readonly isStarted: boolean;
  /** Its processes, if it was starting and runs. */
  readonly processes?: Pick<RunningState, "process" | "monitor"> | undefined;
}

/** The state of a container which was starting or running, from what is found of it. */
export function stateNow(
  state: Extract<RunState, { phase: "starting" | "running" }>,
  found: FoundOfContainer,
  now: number,
): RunState {
  const { exit, isOom, isProcessRunning, isMonitorRunning, isStarted, processes } = found;
  // What has not run is as it was before, so that it can be started.
  if (state.phase === "starting" && !isStarted) return { phase: "created" };
  const startedAt = state.phase === "running" ? state.startedAt : 0;
  if (exit)
    return ended({
      startedAt: startedAt || exit.at,
      finishedAt: exit.at,
      exitCode: exit.code,
      isOom,
    });
  if (state.phase === "starting")
    return processes
      ? { phase: "running", ...processes, startedAt: now, isPaused: false }
      : lost(0, now, "it was interrupted while it was started");
  // conmon writes the exit code a moment after the process has ended.
  if (isProcessRunning || isMonitorRunning) return state;
  return lost(startedAt, now, "it ended while nothing was there to record its exit code");
}

/**
 * The state of a container whose first process has ended. The end is the time of a file, and the clock of
 * file systems is some milliseconds late: a container must not end before it was started.
 */
export function ended(end: {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly isOom: boolean;
}): ExitedState {
  const { startedAt, exitCode, isOom } = end;
  const finishedAt = Math.max(startedAt, end.finishedAt);
  const reason = isOom ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
  return { phase: "exited", startedAt, finishedAt, exitCode, reason, message: "" };
}

/** The state of a container that could not be started. */
export const notStarted = (message: string, now: number, exitCode = 128): ExitedState => ({
  phase: "exited",
  startedAt: 0,
  finishedAt: now,
  exitCode,
  reason: "StartError",
  message,
});

const lost = (startedAt: number, now: number, message: string): ExitedState => ({
  phase: "exited",
  startedAt,
  finishedAt: now,
  exitCode: 255,
  reason: "Unknown",
  message,
});

/** The state that the interfaces of the engine see. */
export function publicState(state: RunState): ContainerRunState {
  if (state.phase === "removing") return lost(0, 0, "it is being removed");
  if (state.phase !== "running") return state;
  const { process, startedAt, isPaused } = state;
  return { phase: "running", pid: process.pid, startedAt, isPaused };
}
