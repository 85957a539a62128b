import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podQosClass } from "../../api/core/v1/pod/pod-qos.ts";
import { isHugePageResource } from "../../api/core/v1/resource-name.ts";
import { isSidecar } from "../pod/container/restart-policy.ts";
import { hasPodResources } from "../pod/has-pod-resources.ts";
import { bytesOf } from "../pod/resource-amounts.ts";

/** Bytes by resource: `memory`, and huge pages of each size. */
export type MemoryAmounts = ReadonlyMap<string, number>;

/** Whether containers of a pod get memory of NUMA nodes. Pods with resources of their own would need PodLevelResourceManagers. */
export const hasMemoryOfNodes = (pod: Pod): boolean =>
  podQosClass(pod) === "Guaranteed" && !hasPodResources(pod);

/** The memory that a container requests. */
export const memoryRequests = ({ resources }: Pick<Container, "resources">): MemoryAmounts =>
  new Map(
    Object.keys(resources?.requests ?? {})
      .filter((name) => name === "memory" || isHugePageResource(name))
      .map((name) => [name, bytesOf(resources?.requests, name)]),
  );

/** The memory that all containers of a pod need: init containers run one after the other, beside earlier sidecars. */
export function podMemoryRequests({ spec }: Pod): MemoryAmounts {
  const atStart = new Map<string, number>();
  const running = new Map<string, number>();
  for (const container of spec.initContainers ?? [])
    for (const [name, bytes] of memoryRequests(container)) {
      const beside = running.get(name) ?? 0;
      if (isSidecar(container)) running.set(name, beside + bytes);
      else atStart.set(name, Math.max(atStart.get(name) ?? 0, beside + bytes));
    }
  // Resources of init containers alone are not among those of the pod.
  const names = new Set<string>();
  for (const container of spec.containers ?? [])
    for (const [name, bytes] of memoryRequests(container)) {
      names.add(name);
      running.set(name, (running.get(name) ?? 0) + bytes);
    }
  return new Map(
    Array.from(names, (name) => [name, Math.max(running.get(name) ?? 0, atStart.get(name) ?? 0)]),
  );
}
