import type { Pod } from "../api/core/v1/pod/pod.ts";

/** The highest restart count of the containers. */
export const podRestarts = ({ status }: Pod): number => most(status.containerStatuses);

/** The highest restart count of the sidecar containers. */
export function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    spec.initContainers?.filter((one) => one.restartPolicy === "Always").map(({ name }) => name),
  );
  return most(status.initContainerStatuses?.filter(({ name }) => sidecars.has(name)));
}

const most = (statuses: Pod["status"]["containerStatuses"] = []): number =>
  Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
