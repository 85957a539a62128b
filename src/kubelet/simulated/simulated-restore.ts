import type { ContainerStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { SimulatedImages } from "../../cri/simulated/simulated-images.ts";
import type { RestoredContainer, SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import {
  containerConfig,
  containerNamed,
  sandboxConfig,
} from "../pod/container/container-config.ts";
import { idOf } from "../pod/probes/probed-statuses.ts";

/**
 * Restores a pod that ran before the process started: a simulated runtime starts empty, and gets its state
 * from the API. Running containers continue and are not restarted.
 */
export function restoreSimulated(
  pod: Pod,
  { runtime, images }: { readonly runtime: SimulatedRuntime; readonly images: SimulatedImages },
): void {
  const { status, spec } = pod;
  const statuses = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const restored = statuses.flatMap((one) => restoredContainers(pod, one));
  if (restored.length === 0) return;
  for (const { image, containerID } of statuses) if (containerID) images.restore(image);
  const ip = spec.hostNetwork ? undefined : (status.podIP ?? "");
  runtime.restore(sandboxConfig(pod, 0), ip || undefined, restored);
}

/** The containers of a status: the last one, then the current one. */
function restoredContainers(pod: Pod, status: ContainerStatus): readonly RestoredContainer[] {
  const container = containerNamed(pod, status.name);
  if (!container) return [];
  const { state, lastState, restartCount, containerID } = status;
  const attempts = [
    { end: lastState?.terminated, running: undefined, attempt: restartCount - 1 },
    { end: state?.terminated, running: state?.running, attempt: restartCount },
  ];
  return attempts.flatMap(({ end, running, attempt }) => {
    const id = idOf(end?.containerID ?? (running ? containerID : undefined));
    const startedAt = timeOf((end ?? running)?.startedAt ?? undefined);
    if (id === "" || startedAt === undefined) return [];
    const config = containerConfig(pod, container, { attempt: Math.max(0, attempt) });
    if (!end) return [{ config, id, startedAt }];
    const { exitCode, reason = "", message = "", finishedAt } = end;
    const finished = timeOf(finishedAt ?? undefined) ?? startedAt;
    return [{ config, id, startedAt, end: { exitCode, reason, message, finishedAt: finished } }];
  });
}
