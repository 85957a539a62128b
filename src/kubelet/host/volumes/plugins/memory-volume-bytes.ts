import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { podLimits } from "../../../../api/core/v1/pod/pod-requests.ts";
import { parseQuantity, quantityValue } from "../../../../schema/values/quantity.ts";

/**
 * The size of a volume in memory: its limit, but no more than the pod, and then the node, may use. Undefined if
 * nothing is known of the node.
 */
export function memoryVolumeBytes(
  pod: Pod,
  sizeLimit: string | undefined,
  allocatable: string | undefined,
): number | undefined {
  let bytes = allocatable === undefined ? undefined : bytesOf(allocatable);
  for (const limit of [podMemoryLimit(pod), sizeLimit && bytesOf(sizeLimit)])
    if (limit && (bytes === undefined || limit <= bytes)) bytes = limit;
  return bytes;
}

/** The memory limit of a pod's cgroup: none, if a container has none. */
function podMemoryLimit(pod: Pod): number | undefined {
  const { containers, initContainers = [], resources } = pod.spec;
  const all = [...(containers ?? []), ...initContainers];
  const isLimited =
    resources?.limits?.memory !== undefined ||
    all.every((container) => container.resources?.limits?.memory !== undefined);
  const { memory } = podLimits(pod.spec);
  return isLimited && memory !== undefined ? bytesOf(memory) : undefined;
}

const bytesOf = (amount: string): number => quantityValue(parseQuantity(amount));
