import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isMirrorPod, isStaticPod } from "../static-pod.ts";

/** Whether a pod must run, even if others have to end for it. */
export const isCritical = (pod: Pod): boolean =>
  isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= systemCriticalPriority;

/** Whether the node itself needs a pod. */
export const isNodeCritical = (pod: Pod): boolean =>
  isCritical(pod) && pod.spec.priorityClassName === "system-node-critical";

const systemCriticalPriority = 2_000_000_000;
