import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../../api/core/v1/pod/pod-annotations.ts";
import { isStaticPod } from "../static-pod.ts";

/** Whether a pod must run, even if others have to end for it. */
export function isCritical(pod: Pod): boolean {
  const { metadata, spec } = pod;
  const isMirror = metadata.annotations?.[mirrorPodAnnotation] !== undefined;
  return isStaticPod(pod) || isMirror || (spec.priority ?? 0) >= systemCriticalPriority;
}

/** Whether the node itself needs a pod. */
export const isNodeCritical = (pod: Pod): boolean =>
  isCritical(pod) && pod.spec.priorityClassName === "system-node-critical";

const systemCriticalPriority = 2_000_000_000;
