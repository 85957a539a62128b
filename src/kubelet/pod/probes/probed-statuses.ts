import type { ContainerStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isSidecar } from "../container/restart-policy.ts";
import type { ProbeResults } from "./probe-results.ts";

/** Sets started and ready of containers from the results of probes. */
export function probedStatuses(
  statuses: readonly ContainerStatus[],
  probes: ProbeResults,
): ContainerStatus[] {
  return statuses.map((status) => {
    const started = isStarted(status, probes);
    return { ...status, started, ready: started && isReady(status, probes) };
  });
}

/** The same for init containers: one that is no sidecar is ready when it has succeeded. */
export function probedInitStatuses(
  statuses: readonly ContainerStatus[],
  { spec }: Pod,
  probes: ProbeResults,
): ContainerStatus[] {
  return statuses.map((status, i) => {
    const container = spec.initContainers?.[i];
    const started = isStarted(status, probes);
    const ready =
      container && isSidecar(container)
        ? started && isReady(status, probes)
        : status.state?.terminated?.exitCode === 0;
    return { ...status, started, ready };
  });
}

function isStarted({ name, state, containerID }: ContainerStatus, probes: ProbeResults): boolean {
  if (!state?.running) return false;
  const result = probes.startup(idOf(containerID));
  if (result !== undefined) return result === "success";
  return !probes.isProbed(name, "startup");
}

function isReady({ name, containerID }: ContainerStatus, probes: ProbeResults): boolean {
  if (probes.readiness(idOf(containerID)) === "success") return true;
  return !probes.isProbed(name, "readiness");
}

/** The ID of a container without the name of its runtime. */
export const idOf = (containerID = ""): string => containerID.slice(containerID.indexOf("://") + 3);
