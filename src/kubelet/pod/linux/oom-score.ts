import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../../api/core/v1/pod/pod-qos.ts";
import { containerResources } from "../../../api/core/v1/pod/pod-requests.ts";
import { isPodLevelResource } from "../../../api/core/v1/resource-name.ts";
import { isSidecar } from "../container/restart-policy.ts";
import { bytesOf } from "../resource-amounts.ts";
import { isNodeCritical } from "./critical-pod.ts";

/**
 * How willingly the kernel kills a container when memory runs out, from -1000 to 1000. A burstable container
 * that requests a tenth of the memory gets 900: as soon as it uses more than that, it is a first candidate.
 */
export function oomScoreAdj(
  pod: Pod,
  container: Container | EphemeralContainer,
  memoryCapacity: number,
): number {
  if (isNodeCritical(pod)) return guaranteed;
  const qosClass = podQosClass(pod);
  if (qosClass === "Guaranteed") return guaranteed;
  if (qosClass === "BestEffort") return bestEffort;
  const shared = sharedRequest(pod);
  const scoreFor = (request: number): number =>
    1000 - Number((1000n * BigInt(request + shared)) / BigInt(memoryCapacity));
  const own = scoreFor(bytesOf(container.resources?.requests, "memory"));
  const isOneOfInit = pod.spec.initContainers?.some(({ name }) => name === container.name);
  // A sidecar is not killed before the containers that need it.
  const score =
    isOneOfInit && isSidecar(container as Container)
      ? Math.min(own, scoreFor(leastRequest(pod)))
      : own;
  return Math.min(Math.max(score, 1000 + guaranteed), bestEffort - 1);
}

const guaranteed = -997;
const bestEffort = 1000;

const leastRequest = ({ spec }: Pod): number =>
  Math.min(
    ...(spec.containers ?? []).map(({ resources }) => bytesOf(resources?.requests, "memory")),
  );

/** The memory that a pod requests beyond its containers, divided among them. */
function sharedRequest({ spec }: Pod): number {
  const requests = spec.resources?.requests ?? {};
  const whole = bytesOf(requests, "memory");
  if (!Object.keys(requests).some(isPodLevelResource) || whole === 0) return 0;
  const count = (spec.containers ?? []).length + (spec.initContainers ?? []).length;
  return Math.trunc((whole - bytesOf(containerResources(spec, "requests"), "memory")) / count);
}
