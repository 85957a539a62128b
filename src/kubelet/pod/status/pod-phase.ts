import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import { isSidecar, restartsAfter } from "../container/restart-policy.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseInput {
  readonly spec: Pick<PodSpec, "containers" | "initContainers" | "restartPolicy">;
  /** Of all containers but ephemeral ones. */
  readonly statuses: readonly ContainerStatus[];
  /** Whether no container is started any more, regardless of the policy. */
  readonly isTerminal: boolean;
  /** Whether a container other than an init container was started. */
  readonly isInitialized: boolean;
}

/** The phase of a pod. */
export function podPhase({ spec, statuses, isTerminal, isInitialized }: PhaseInput): PodPhase {
  const statusOf = ({ name }: Container): ContainerStatus | undefined =>
    statuses.find((status) => status.name === name);
  const initContainers = spec.initContainers ?? [];
  const first = initContainers
    .filter((container) => !isSidecar(container))
    .map((container) => ({ container, exit: exitOf(statusOf(container)) }));
  const hasFailed = first.some(
    ({ container, exit }) => exit && exit.code !== 0 && !comesBack(container, spec, exit),
  );
  if (hasFailed) return "Failed";
  const sidecars = initContainers.filter(isSidecar).map((one) => sidecarStage(statusOf(one)));
  const main = (spec.containers ?? []).map((container) => ({
    container,
    ...containerStage(statusOf(container)),
  }));
  const stages: readonly Stage[] = [...sidecars, ...main.map(({ stage }) => stage)];
  const isBeginning =
    first.some(({ exit }) => !exit) ||
    (!isInitialized && sidecars.some((stage) => stage === "waiting" || stage === "starting"));
  if (isBeginning || stages.includes("waiting") || stages.includes("unknown")) return "Pending";
  if (stages.includes("running") || stages.includes("starting")) return "Running";
  const exits = main.flatMap(({ container, exit }) => (exit ? [{ container, exit }] : []));
  if (exits.length === 0) return "Pending";
  const isComingBack = exits.some(({ container, exit }) => comesBack(container, spec, exit));
  if (isComingBack && !isTerminal) return "Running";
  return exits.every(({ exit }) => exit.isNow && exit.code === 0) ? "Succeeded" : "Failed";
}

type Stage = "unknown" | "waiting" | "starting" | "running" | "ended";

/** The progress of a sidecar: it may run before it has started, and an ended one is restarted. */
function sidecarStage(status: ContainerStatus | undefined): Stage {
  if (!status) return "unknown";
  if (status.state?.running) return status.started ? "running" : "starting";
  return exitOf(status) ? "ended" : "waiting";
}

function containerStage(status: ContainerStatus | undefined): {
  readonly stage: Stage;
  readonly exit?: Exit;
} {
  if (!status?.state) return { stage: "unknown" };
  if (status.state.running) return { stage: "running" };
  const exit = exitOf(status);
  return exit ? { stage: "ended", exit } : { stage: "waiting" };
}

interface Exit {
  readonly code: number;
  readonly reason: string;
  /** Whether it is the current state of the container, not the last one. */
  readonly isNow: boolean;
}

/** The termination of a container that is not running; undefined if it runs or never ran. */
function exitOf(status: ContainerStatus | undefined): Exit | undefined {
  if (!status || status.state?.running) return undefined;
  const now = status.state?.terminated;
  const end = now ?? status.lastState?.terminated;
  return end && { code: end.exitCode, reason: end.reason ?? "", isNow: now !== undefined };
}

const comesBack = (
  container: Container,
  spec: Pick<PodSpec, "restartPolicy">,
  { code, reason }: Exit,
): boolean => restartsAfter(container, spec, code) || reason === restartingAllContainers;

/** The reason for a container that another container's restart rule removed. */
export const restartingAllContainers = "RestartingAllContainers";
