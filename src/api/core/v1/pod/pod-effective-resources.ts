import type { Container } from "../container/container.ts";
import type { ContainerStatus } from "../container/container-status.ts";
import type { ResourceList } from "../resource-list.ts";
import type { Pod } from "./pod.ts";
import { podLimits, podRequests, raise } from "./pod-requests.ts";

/**
 * What a pod requests while its containers may be changing in place: of what is asked for, set aside
 * and in force the most, until the node says that it cannot be done; then what is asked for does not
 * count.
 */
export const effectiveRequests = (pod: Pod): ResourceList => podRequests(inForce(pod));

/** The limits of a pod, in the same way. */
export const effectiveLimits = (pod: Pod): ResourceList => podLimits(inForce(pod));

/** The spec of a pod, whose containers have what counts for them. */
function inForce(pod: Pod): Pod["spec"] {
  const { spec, status } = pod;
  const known = new Map(
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]
      .filter(({ resources }) => resources)
      .map((one) => [one.name, one]),
  );
  if (known.size === 0) return spec;
  const counted = (container: Container): Container => {
    const state = known.get(container.name);
    return state ? { ...container, resources: resourcesOf(container, state, pod) } : container;
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(counted),
    initContainers: (spec.initContainers ?? []).map((one) =>
      one.restartPolicy === "Always" ? counted(one) : one,
    ),
  };
}

function resourcesOf(
  { resources: asked }: Container,
  { resources: actual, allocatedResources }: ContainerStatus,
  pod: Pod,
): Container["resources"] {
  const isInfeasible = isResizeInfeasible(pod);
  const requests: Record<string, string> = isInfeasible ? {} : { ...asked?.requests };
  raise(requests, actual?.requests);
  raise(requests, allocatedResources);
  const limits: Record<string, string> = isInfeasible ? {} : { ...asked?.limits };
  raise(limits, actual?.limits);
  return { ...asked, requests, limits };
}

const isResizeInfeasible = ({ status }: Pod): boolean =>
  status.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
