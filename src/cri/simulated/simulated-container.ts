import type { Timer } from "../../base/clock.ts";
import type {
  ContainerConfig,
  ContainerResources,
  ContainerState,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxStatus,
} from "../runtime-types.ts";
import type { Behaviour } from "./behaviour.ts";
import { chanceOf } from "./chance.ts";
import { type DurationRange, pickFrom } from "./duration-range.ts";
import { canonicalImage } from "./simulated-images.ts";
import { firstAbove } from "./usage-curve.ts";

/** A simulated sandbox. */
export interface SimulatedSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly createdAt: number;
  readonly ip: string | undefined;
  state: PodSandboxStatus["state"];
  readonly containers: Set<SimulatedContainer>;
}

/** A simulated container. */
export interface SimulatedContainer {
  readonly id: string;
  readonly sandbox: SimulatedSandbox;
  readonly config: ContainerConfig;
  readonly behaviour: Behaviour;
  readonly createdAt: number;
  readonly imageRef: string;
  state: ContainerState;
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
  message: string;
  resources: ContainerResources;
  /** The timer of its own end, if it ends by itself. */
  timer: Timer | undefined;
  /** What it has used of CPUs that it shares with other pods, as of the last time that somebody asked. */
  sharedCpu: { readonly at: number; readonly coreMs: number } | undefined;
  /** Callbacks that wait for its end. */
  readonly waiting: Set<() => void>;
}

/** How a process ends by itself. */
export interface ProcessEnd {
  /** Since its start. */
  readonly ms: number;
  readonly exitCode: number;
  readonly reason: "Completed" | "Error" | "OOMKilled";
}

/** When and how a container ends by itself; undefined if it runs until it is stopped. */
export function ownEnd(container: SimulatedContainer): ProcessEnd | undefined {
  const { behaviour, config, resources } = container;
  const { exitCode, exitAfter, exitTimes, oomAfter, memory, program } = behaviour;
  if (exitTimes !== undefined && config.metadata.attempt >= exitTimes) return undefined;
  const limit = resources.memoryLimitBytes;
  const tooLargeAt = memory && limit !== undefined ? firstAbove(memory, limit) : undefined;
  if (oomAfter || tooLargeAt !== undefined) {
    const ms = oomAfter ? drawn(container, "oom-after", oomAfter) : Math.max(1000, tooLargeAt ?? 0);
    return { ms, exitCode: 137, reason: "OOMKilled" };
  }
  if (exitCode !== undefined || exitAfter) {
    const ms = exitAfter ? drawn(container, "exit-after", exitAfter) : 0;
    return ended(ms, exitCode ?? 0);
  }
  return program?.exit && ended(program.exit.ms, program.exit.code);
}

/** Draws a duration for a container; the result is always the same. */
export const drawn = ({ id }: { readonly id: string }, key: string, range: DurationRange): number =>
  pickFrom(range, chanceOf(`${id}/${key}`));

/** The status of a container. */
export function statusOf(container: SimulatedContainer): ContainerStatus {
  const { id, sandbox, config, state, createdAt, startedAt, finishedAt } = container;
  const { exitCode, reason, message, imageRef, resources } = container;
  return {
    id,
    sandboxId: sandbox.id,
    podUid: sandbox.config.metadata.uid,
    metadata: config.metadata,
    state,
    createdAt,
    startedAt,
    finishedAt,
    exitCode,
    image: canonicalImage(config.image),
    userSpecifiedImage: config.image,
    imageRef,
    reason,
    message,
    resources,
    labels: config.labels,
    annotations: config.annotations,
    mounts: config.mounts,
    stopSignal: config.stopSignal ?? "SIGTERM",
  };
}

export function sandboxStatusOf(sandbox: SimulatedSandbox): PodSandboxStatus {
  const { id, config, state, createdAt, ip } = sandbox;
  const { metadata, hostNetwork, labels, annotations, runtimeHandler } = config;
  const ips = ip === undefined ? [] : [ip];
  return { id, metadata, state, createdAt, ips, hostNetwork, labels, annotations, runtimeHandler };
}

const ended = (ms: number, exitCode: number): ProcessEnd => ({
  ms,
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
});
