import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../api/core/v1/pod/pod-qos.ts";
import { isSidecar } from "../pod/container/restart-policy.ts";
import { hasPodResources } from "../pod/has-pod-resources.ts";
import { milliCpuOf } from "../pod/resource-amounts.ts";

/** How many CPUs a container gets for itself: those of guaranteed pods that request whole CPUs do. */
export function exclusiveCpus(pod: Pod, { resources }: Pick<Container, "resources">): number {
  // CPUs of pods with resources of their own would need the feature PodLevelResourceManagers.
  if (podQosClass(pod) !== "Guaranteed" || hasPodResources(pod)) return 0;
  const millis = milliCpuOf(resources?.requests);
  return millis % 1000 === 0 ? millis / 1000 : 0;
}

/** How many CPUs all containers of a pod need: init containers run one after the other, beside earlier sidecars. */
export function exclusivePodCpus(pod: Pod): number {
  let mostAtStart = 0;
  let sidecars = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const own = exclusiveCpus(pod, container);
    if (isSidecar(container)) sidecars += own;
    else mostAtStart = Math.max(mostAtStart, sidecars + own);
  }
  const containers = (pod.spec.containers ?? []).reduce(
    (sum, container) => sum + exclusiveCpus(pod, container),
    0,
  );
  return Math.max(mostAtStart, sidecars + containers);
}
