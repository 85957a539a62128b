import { setMember } from "../../../../schema/json/strict-json.ts";
import {
  addQuantities,
  formatQuantity,
  isZeroQuantity,
  parseQuantity,
} from "../../../../schema/values/quantity.ts";
import type { Container } from "../container/container.ts";
import type { ContainerStatus } from "../container/container-status.ts";
import type { ResourceList } from "../resource-list.ts";
import { isPodLevelResource } from "../resource-name.ts";
import type { Pod } from "./pod.ts";
import { containerResources, podRequests, raise } from "./pod-requests.ts";

/**
 * What a pod requests while its containers may be changing in place: of what is asked for, set aside
 * and in force the most, until the node says that it cannot be done; then what is asked for does not
 * count.
 */
export const effectiveRequests = (pod: Pod): ResourceList => podRequests(inForce(pod));

/** The limits of a pod, in the same way; its overhead comes on top of those that there are. */
export function effectiveLimits(pod: Pod): ResourceList {
  const spec = inForce(pod);
  const limits: Record<string, string> = { ...containerResources(spec, "limits") };
  for (const [name, amount] of Object.entries(spec.resources?.limits ?? {}))
    if (isPodLevelResource(name)) setMember(limits, name, amount);
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) {
    const limit = Object.hasOwn(limits, name) ? parseQuantity(limits[name] as string) : undefined;
    if (limit && !isZeroQuantity(limit))
      setMember(limits, name, formatQuantity(addQuantities(limit, parseQuantity(amount))));
  }
  return limits;
}

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
