import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { isSidecar } from "../container/restart-policy.ts";
import { isStaticPod } from "../static-pod.ts";
import { isTerminalPhase } from "./pod-status.ts";

/** The status of a pod that no longer runs: containers without a known result count as failed. */
export function finalStatus(pod: Pod, status: PodStatus): PodStatus {
  const { containerStatuses, initContainerStatuses } = status;
  const lastBegun = (initContainerStatuses ?? []).findLastIndex(hasBegun);
  return {
    ...status,
    phase: isTerminalPhase(status.phase) || isStaticPod(pod) ? status.phase : "Failed",
    ...(containerStatuses && {
      containerStatuses: isInitialized(pod, status)
        ? containerStatuses.map(ended)
        : containerStatuses,
    }),
    ...(initContainerStatuses && {
      initContainerStatuses: initContainerStatuses.map((one, i) =>
        i <= lastBegun ? ended(one) : one,
      ),
    }),
  } as PodStatus;
}

const ended = (status: ContainerStatus): ContainerStatus =>
  status.state?.terminated
    ? status
    : ({ ...status, state: { terminated: unknownEnd } } as unknown as ContainerStatus);

const unknownEnd = {
  exitCode: 137,
  finishedAt: null,
  message: "The container could not be located when the pod was terminated",
  reason: "ContainerStatusUnknown",
  startedAt: null,
};

const hasBegun = ({ state, lastState }: ContainerStatus): boolean =>
  state?.running !== undefined ||
  state?.terminated !== undefined ||
  lastState?.terminated !== undefined;

/** Whether containers of a pod other than init containers were started. */
function isInitialized({ spec }: Pod, status: PodStatus): boolean {
  const init = spec.initContainers ?? [];
  if (init.length === 0) return true;
  if (status.containerStatuses?.some(hasBegun)) return true;
  const last = init.at(-1);
  const known = status.initContainerStatuses?.find(({ name }) => name === last?.name);
  if (!last || !known) return false;
  return isSidecar(last)
    ? known.state?.running !== undefined && known.started === true
    : known.state?.terminated?.exitCode === 0;
}
