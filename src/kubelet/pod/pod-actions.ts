import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import { hasChanged } from "./container/container-definition.ts";
import { initContainerActions } from "./container/init-container-actions.ts";
import { isSidecar, needsStart, restartsAfterProbe } from "./container/restart-policy.ts";
import type { ProbeResults } from "./probes/probe-results.ts";
import { latestOf, type RuntimePod, sandboxNeed } from "./runtime-pod.ts";

/** The actions that bring a pod closer to its spec. */
export interface PodActions {
  /** Whether to stop all containers and the sandbox. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  readonly attempt: number;
  /** The current or the last sandbox. */
  readonly sandboxId: string | undefined;
  /** Names in the order of their start. */
  readonly ephemeral: readonly string[];
  readonly init: readonly string[];
  readonly containers: readonly string[];
  readonly kill: readonly ContainerToKill[];
}

export interface ContainerToKill {
  readonly status: ContainerStatus;
  readonly message: string;
  /** The probe that failed, whose grace period is used. */
  readonly because: KillReason;
}

export type KillReason = "" | "startup" | "liveness";

export interface PodActionsInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly probes: ProbeResults;
  /** Containers that must restart for their new resources. */
  readonly resizing?: ReadonlySet<string> | undefined;
}

/** Compares a pod with the state of its runtime. */
export function podActions(input: PodActionsInput): PodActions {
  const { pod, runtimePod } = input;
  const { isNeeded, attempt, oldId: sandboxId } = sandboxNeed(runtimePod);
  const begin: PodActions = { ...nothingToDo, attempt, sandboxId };
  if (isNeeded) return sandboxActions(input, { ...begin, killPod: true });
  const ephemeral = (pod.spec.ephemeralContainers ?? [])
    .map(({ name }) => name)
    .filter((name) => !latestOf(runtimePod, name));
  const { isInitialized, killPod, start, kill } = initContainerActions(input);
  const initial = { ...begin, ephemeral, killPod, init: start, kill };
  if (killPod || !isInitialized) return initial;
  return containerActions(input, initial);
}

const nothingToDo: PodActions = {
  killPod: false,
  createSandbox: false,
  attempt: 0,
  sandboxId: undefined,
  ephemeral: [],
  init: [],
  containers: [],
  kill: [],
};

/** With a new sandbox all containers start again, unless the pod is done. */
function sandboxActions({ pod, runtimePod }: PodActionsInput, begin: PodActions): PodActions {
  const { spec } = pod;
  const isDone =
    spec.restartPolicy === "Never" && begin.attempt !== 0 && runtimePod.containers.length !== 0;
  if (isDone) return begin;
  const containers = (spec.containers ?? []).filter((container) => {
    const runsOnce = (container.restartPolicy ?? spec.restartPolicy) === "OnFailure";
    return !(runsOnce && hasSucceeded(container, runtimePod));
  });
  const wasInitialized = (spec.containers ?? []).some(({ name }) => latestOf(runtimePod, name));
  if (containers.length === 0 && wasInitialized) return begin;
  const [firstInit] = spec.initContainers ?? [];
  if (firstInit) return { ...begin, createSandbox: true, init: [firstInit.name] };
  return { ...begin, createSandbox: true, containers: containers.map(({ name }) => name) };
}

function hasSucceeded({ name }: Container, runtimePod: RuntimePod): boolean {
  const latest = latestOf(runtimePod, name);
  return latest?.state === "exited" && latest.exitCode === 0;
}

function containerActions(input: PodActionsInput, begin: PodActions): PodActions {
  const { pod, runtimePod } = input;
  const containers: string[] = [];
  const kill = [...begin.kill];
  let kept = 0;
  for (const container of pod.spec.containers ?? []) {
    const { name } = container;
    const status = latestOf(runtimePod, name);
    if (status?.state !== "running") {
      if (needsStart(container, pod, runtimePod)) containers.push(name);
      continue;
    }
    const given = givenUp(container, status, input);
    if (!given) {
      kept++;
      continue;
    }
    const restarts = given.restarts || restartsAfterProbe(container, pod.spec);
    if (restarts) containers.push(name);
    const tells = restarts && !given.isResize;
    const message = tells ? `${given.message}, will be restarted` : given.message;
    kill.push({ status, message, because: given.because });
  }
  // Sidecars do not keep a pod alive.
  if (kept === 0 && containers.length === 0) return { ...begin, kill, killPod: true, init: [] };
  return { ...begin, kill, containers };
}

interface GivenUp {
  readonly message: string;
  readonly because: KillReason;
  /** Whether it is restarted regardless of its policy. */
  readonly restarts?: boolean;
  /** Whether it is for a resize, whose message says so already. */
  readonly isResize?: boolean;
}

/** Why a running container must be killed; undefined if it may run. */
function givenUp(
  container: Container,
  status: ContainerStatus,
  { probes, resizing }: PodActionsInput,
): GivenUp | undefined {
  const { name } = container;
  const { id } = status;
  if (hasChanged(container, status))
    return { message: `Container ${name} definition changed`, because: "", restarts: true };
  if (probes.liveness(id) === "failure")
    return { message: `Container ${name} failed liveness probe`, because: "liveness" };
  if (probes.startup(id) === "failure")
    return { message: `Container ${name} failed startup probe`, because: "startup" };
  if (resizing?.has(name))
    return {
      ...{ message: `Container ${name} resize requires restart`, because: "" },
      ...{ restarts: true, isResize: true },
    };
  return undefined;
}

/** Whether a pod has sidecars. */
export const hasSidecars = ({ spec }: Pod): boolean =>
  spec.initContainers?.some(isSidecar) ?? false;
