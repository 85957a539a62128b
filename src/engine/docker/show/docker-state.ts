import type { DockerContainer } from "../create/docker-details.ts";
import type { Health } from "../life/health.ts";
import { dockerTime } from "./docker-time.ts";
import { humanDuration } from "./human-duration.ts";

export type StatusWord = "created" | "running" | "paused" | "restarting" | "exited";

/** The state of a container in one word. */
export function statusWord({ state, details }: DockerContainer): StatusWord {
  if (state.phase === "running") return state.isPaused ? "paused" : "running";
  if (details.isRestarting) return "restarting";
  if (state.phase === "starting" || state.phase === "created") return "created";
  return state.reason === "StartError" && state.startedAt === 0 ? "created" : "exited";
}

/** The column STATUS of `docker ps`: `Up 17 minutes (healthy)`. */
export function statusText(
  container: DockerContainer,
  now: number,
  health: Health | undefined,
): string {
  const { state } = container;
  const word = statusWord(container);
  if (word === "created") return "Created";
  if (state.phase === "running") {
    const up = `Up ${humanDuration(now - state.startedAt)}`;
    if (word === "paused") return `${up} (Paused)`;
    return health === undefined ? up : `${up} (${healthText(health)})`;
  }
  if (state.phase !== "exited") return "Created";
  const ago = `(${state.exitCode}) ${humanDuration(now - state.finishedAt)} ago`;
  return word === "restarting" ? `Restarting ${ago}` : `Exited ${ago}`;
}

const healthText = ({ Status }: Health): string =>
  Status === "starting" ? "health: starting" : Status;

/** The state of a container in `docker inspect`. */
export function inspectedState(container: DockerContainer, health: Health | undefined): object {
  const { state, details } = container;
  const word = statusWord(container);
  const exited = state.phase === "exited" ? state : undefined;
  return {
    Status: word,
    Running: state.phase === "running" || details.isRestarting,
    Paused: word === "paused",
    Restarting: word === "restarting",
    OOMKilled: exited?.reason === "OOMKilled",
    Dead: false,
    Pid: state.phase === "running" ? state.pid : 0,
    ExitCode: details.startError?.exitCode ?? exited?.exitCode ?? 0,
    Error: details.startError?.message ?? "",
    StartedAt: dockerTime(state.phase === "running" ? state.startedAt : (exited?.startedAt ?? 0)),
    FinishedAt: dockerTime(exited?.finishedAt ?? 0),
    ...(health !== undefined && { Health: health }),
  };
}
