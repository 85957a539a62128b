import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";

/**
 * When a pod ended, in milliseconds since the epoch: when its last container did, else when it was last
 * ready, else when its deletion was requested, else when it was created.
 */
export const finishedAt = (pod: Pod): number =>
  containersEnd(pod) ??
  readyEnd(pod) ??
  deletionRequest(pod) ??
  timeOf(pod.metadata.creationTimestamp) ??
  0;

/** Undefined unless all containers and sidecar containers have ended. */
function containersEnd({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    spec.initContainers?.filter((one) => one.restartPolicy === "Always").map(({ name }) => name),
  );
  const statuses = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ends = statuses.map(({ state }) => timeOf(state?.terminated?.finishedAt ?? undefined));
  if (ends.length === 0 || ends.includes(undefined)) return undefined;
  return Math.max(...ends.map((end) => end ?? 0));
}

function readyEnd({ status }: Pod): number | undefined {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "False" ? timeOf(ready.lastTransitionTime ?? undefined) : undefined;
}

function deletionRequest({ metadata }: Pod): number | undefined {
  const end = timeOf(metadata.deletionTimestamp);
  return end === undefined
    ? undefined
    : end - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
