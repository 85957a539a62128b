import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import { isSidecar, restartsAfter } from "../container/restart-policy.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseInput {
  readonly spec: Pick<PodSpec, "containers" | "initContainers" | "restartPolicy">;
  /** Of all containers but ephemeral ones. */
  readonly statuses: readonly ContainerStatus[];
  /** Whether nothing is started any more, whatever the policy says. */
  readonly isTerminal: boolean;
  /** Whether a container that is none of the first ones was started. */
  readonly isInitialized: boolean;
}

/** Where a pod stands in its life. */
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

/** How far a sidecar is: it runs before it has started, and one that has ended comes back. */
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
  /** Whether it is how the container is, and not how it was before. */
  readonly isNow: boolean;
}

/** How a container has ended, if it does not run; undefined where it runs, or never did. */
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

/** Why a container is gone that a rule of another has removed. */
export const restartingAllContainers = "RestartingAllContainers";
