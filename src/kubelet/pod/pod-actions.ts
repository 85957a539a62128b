import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerStatus } from "../../cri/runtime-types.ts";
import { initContainerActions } from "./container/init-container-actions.ts";
import { isSidecar, needsStart, restartsAfterProbe } from "./container/restart-policy.ts";
import type { ProbeResults } from "./probes/probe-results.ts";
import { latestOf, type RuntimePod, sandboxNeed } from "./runtime-pod.ts";

/** What is to be done for a pod to become what it should be. */
export interface PodActions {
  /** Ends all that runs, and the sandbox. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  readonly attempt: number;
  /** The sandbox that there is, or was. */
  readonly sandboxId: string | undefined;
  /** Names, in the order in which they are started. */
  readonly ephemeral: readonly string[];
  readonly init: readonly string[];
  readonly containers: readonly string[];
  readonly kill: readonly ContainerToKill[];
}

export interface ContainerToKill {
  readonly status: ContainerStatus;
  readonly message: string;
  /** Whose grace period counts, if a probe has given it up. */
  readonly because: KillReason;
}

export type KillReason = "" | "startup" | "liveness";

export interface PodActionsInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly probes: ProbeResults;
  /** Containers whose new resources need a restart. */
  readonly resizing?: ReadonlySet<string> | undefined;
}

/** Compares a pod with what runs of it. */
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

/** With a new sandbox a pod begins anew, if it is to begin at all. */
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
    const message = restarts ? `${given.message}, will be restarted` : given.message;
    kill.push({ status, message, because: given.because });
  }
  // Sidecars keep no pod alive.
  if (kept === 0 && containers.length === 0) return { ...begin, kill, killPod: true, init: [] };
  return { ...begin, kill, containers };
}

interface GivenUp {
  readonly message: string;
  readonly because: KillReason;
  /** Whether it is restarted whatever its policy is. */
  readonly restarts?: boolean;
}

/** Why a container that runs must not go on; undefined where it may. */
function givenUp(
  { name, image }: Container,
  { id, userSpecifiedImage }: ContainerStatus,
  { probes, resizing }: PodActionsInput,
): GivenUp | undefined {
  if (userSpecifiedImage !== image)
    return { message: `Container ${name} definition changed`, because: "", restarts: true };
  if (probes.liveness(id) === "failure")
    return { message: `Container ${name} failed liveness probe`, because: "liveness" };
  if (probes.startup(id) === "failure")
    return { message: `Container ${name} failed startup probe`, because: "startup" };
  if (resizing?.has(name))
    return { message: `Container ${name} resize requires restart`, because: "", restarts: true };
  return undefined;
}

/** Whether a pod has containers that run beside its others from the start. */
export const hasSidecars = ({ spec }: Pod): boolean =>
  spec.initContainers?.some(isSidecar) ?? false;
