import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerState } from "../../../api/core/v1/container/container-state.ts";
import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ContainerStatus as RuntimeContainer } from "../../../cri/runtime-types.ts";
import { formatTime, timeFromMillis } from "../../../schema/values/time.ts";
import { actualResources } from "../resize/actual-resources.ts";
import type { PodResources } from "../resize/allocation-store.ts";
import { latestOf, type RuntimePod } from "../runtime-pod.ts";
import { restartingAllContainers } from "../status/pod-phase.ts";
import { isSidecar, needsStart } from "./restart-policy.ts";
import { volumeMountStatuses } from "./volume-mount-statuses.ts";

/** Why the last start of a container failed. */
export interface StartFailure {
  /** The reason, such as `CrashLoopBackOff`. */
  readonly reason: string;
  readonly message: string;
}

export interface ContainerStatusesInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly containers: readonly (Container | EphemeralContainer)[];
  readonly areInit: boolean;
  /** Their latest statuses. */
  readonly previous: readonly ContainerStatus[];
  readonly failureOf: (container: string) => StartFailure | undefined;
  /** The prefix of container IDs. */
  readonly runtimeName: string;
  /** The resources in force; absent if the runtime knows them all. */
  readonly actuated?: PodResources | undefined;
  /** Whether all containers are being removed for a restart. */
  readonly isRestarting?: boolean | undefined;
}

/** The statuses of containers, except for started and ready, which probes decide. */
export function containerStatuses(input: ContainerStatusesInput): ContainerStatus[] {
  const { containers, areInit } = input;
  const statuses = containers.map((container) => containerStatus(container, input));
  // Init containers keep their order, others are sorted by name.
  return areInit ? statuses : statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function containerStatus(
  container: Container | EphemeralContainer,
  input: ContainerStatusesInput,
): ContainerStatus {
  const { pod, runtimePod, previous, areInit, failureOf } = input;
  const { name } = container;
  const old = previous.find((status) => status.name === name);
  const [latest, before] = runtimePod.containers.filter(({ metadata }) => metadata.name === name);
  let status = latest
    ? seenStatus(container, latest, { ...input, before, old })
    : unseenStatus(container, old, input);
  if (areInit) {
    if (latest?.state === "exited" && latest.exitCode === 0) return status;
    const isForgotten = !latest && !isSidecar(container as Container) && status.state?.waiting;
    if (isForgotten && hasMainContainer(pod, runtimePod))
      return { ...status, state: { terminated: forgottenInit } };
  }
  if (!needsStart(container as Container, pod, runtimePod)) return status;
  const failure = failureOf(name);
  if (!failure) return status;
  if (status.state?.terminated) status = { ...status, lastState: status.state };
  const { reason, message } = failure;
  return { ...status, state: { waiting: { reason, ...(message !== "" && { message }) } } };
}

/** The status of a container that the runtime has. */
function seenStatus(
  container: Container | EphemeralContainer,
  latest: RuntimeContainer,
  {
    before,
    old,
    runtimeName,
    actuated,
  }: Pick<ContainerStatusesInput, "runtimeName" | "actuated"> & {
    readonly before: RuntimeContainer | undefined;
    readonly old: ContainerStatus | undefined;
  },
): ContainerStatus {
  const containerID = `${runtimeName}://${latest.id}`;
  const lastState = before
    ? stateOf(before, runtimeName)
    : old && old.containerID !== containerID && old.state?.terminated
      ? { terminated: old.state.terminated }
      : (old?.lastState ?? {});
  const requests = container.resources?.requests;
  const known = old?.state?.running && old.containerID === containerID ? old : undefined;
  const resources =
    latest.state === "running"
      ? actualResources({ container, running: latest, old: known, actuated })
      : (container.resources ?? {});
  return {
    ...(requests && { allocatedResources: requests }),
    containerID,
    image: latest.image,
    imageID: latest.imageRef,
    lastState,
    name: container.name,
    ready: false,
    resources,
    restartCount: Math.max(latest.metadata.attempt, old?.restartCount ?? 0),
    state: stateOf(latest, runtimeName),
    ...volumeMountStatuses(container),
  } as ContainerStatus;
}

function stateOf(status: RuntimeContainer, runtimeName: string): ContainerState {
  const { state, startedAt, finishedAt, exitCode, reason, message, id } = status;
  if (state === "running") return { running: { startedAt: timeText(startedAt) } };
  if (state !== "exited") return { waiting: {} };
  return {
    terminated: {
      containerID: `${runtimeName}://${id}`,
      exitCode,
      finishedAt: timeText(finishedAt),
      ...(message !== "" && { message }),
      reason,
      startedAt: startedAt === 0 ? null : timeText(startedAt),
    },
  } as unknown as ContainerState;
}

/** The status of a container that the runtime does not have: it never ran, or was removed. */
function unseenStatus(
  container: Container | EphemeralContainer,
  old: ContainerStatus | undefined,
  { pod, isRestarting }: ContainerStatusesInput,
): ContainerStatus {
  if (isRestarting && old && !old.state?.waiting)
    return {
      ...old,
      ready: false,
      state: { waiting: { reason: restartingAllContainers, message: reset.message } },
      lastState: { terminated: reset },
      restartCount: old.restartCount + 1,
    } as unknown as ContainerStatus;
  if (old?.state?.terminated) return old;
  const reason = pod.spec.initContainers?.length ? "PodInitializing" : "ContainerCreating";
  const wasRunning = old?.state?.running !== undefined;
  const isLost = wasRunning && !old?.lastState?.terminated;
  const restarts = isLost && !pod.metadata.deletionTimestamp ? 1 : 0;
  return {
    image: container.image ?? "",
    imageID: "",
    lastState: isLost ? { terminated: lost } : (old?.lastState ?? {}),
    name: container.name,
    ready: false,
    restartCount: (old?.restartCount ?? 0) + restarts,
    state: { waiting: { reason } },
    ...volumeMountStatuses(container),
  } as unknown as ContainerStatus;
}

const hasMainContainer = ({ spec }: Pod, runtimePod: RuntimePod): boolean =>
  (spec.containers ?? []).some(({ name }) => latestOf(runtimePod, name));

const lost = {
  exitCode: 137,
  finishedAt: null,
  message:
    "The container could not be located when the pod was deleted.  The container used to be Running",
  reason: "ContainerStatusUnknown",
  startedAt: null,
};

const reset = {
  exitCode: 137,
  finishedAt: null,
  message: "The container is removed because RestartAllContainers in place",
  reason: restartingAllContainers,
  startedAt: null,
};

const forgottenInit = {
  exitCode: 0,
  finishedAt: null,
  message:
    "Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally",
  reason: "Completed",
  startedAt: null,
} as never;

/** A time as the API stores it, in whole seconds. */
export const timeText = (ms: number): string => formatTime(timeFromMillis(ms));
