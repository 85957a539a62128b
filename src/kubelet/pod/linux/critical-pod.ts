import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../../api/core/v1/pod/pod-annotations.ts";

/** Whether a pod must run, even if others have to end for it. */
export function isCritical({ metadata, spec }: Pod): boolean {
  const { annotations = {} } = metadata;
  const source = annotations["kubernetes.io/config.source"];
  if (source !== undefined && source !== "api") return true;
  if (annotations[mirrorPodAnnotation] !== undefined) return true;
  return (spec.priority ?? 0) >= systemCriticalPriority;
}

/** Whether the node itself needs a pod. */
export const isNodeCritical = (pod: Pod): boolean =>
  isCritical(pod) && pod.spec.priorityClassName === "system-node-critical";

const systemCriticalPriority = 2_000_000_000;
