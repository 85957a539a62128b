import type { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { taintKey } from "../../api/core/v1/scheduling/well-known-taint.ts";

/** Whether a pod has ended, one way or another. */
export const isTerminated = ({ status: { phase = "" } }: Pod): boolean =>
  phase !== "Pending" && phase !== "Running" && phase !== "Unknown";

/** Whether a pod is about to go and was never anywhere, so that no kubelet will let it go. */
export const isUnscheduledTerminating = ({ metadata, spec }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && !spec.nodeName;

/** Whether a pod is about to go from a node of which somebody said that it will not come back. */
export const isOutOfService = ({ metadata }: Pod, node: Node | undefined): boolean =>
  metadata.deletionTimestamp !== undefined && node !== undefined && isNodeOutOfService(node);

export const isNodeOutOfService = (node: Node): boolean =>
  (node.spec.taints?.some(({ key }) => key === taintKey.outOfService) ?? false) &&
  !isNodeReady(node);

/** Whether all was done to have a pod go that can be: others hold it. */
export const isHeldByOthers = ({ metadata, status: { phase } }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  metadata.deletionGracePeriodSeconds === 0 &&
  (phase === "Succeeded" || phase === "Failed");

/** The pods that have ended and are too many: first those that were evicted, then the oldest. */
export function excessPods(terminated: readonly Pod[], threshold: number): readonly Pod[] {
  if (threshold <= 0 || terminated.length <= threshold) return none;
  return terminated.toSorted(evictedAndOldestFirst).slice(0, terminated.length - threshold);
}

const none: readonly Pod[] = [];

const isEvicted = ({ status: { phase, reason } }: Pod): boolean =>
  phase === "Failed" && reason === "Evicted";

function evictedAndOldestFirst(a: Pod, b: Pod): number {
  return (
    Number(isEvicted(b)) - Number(isEvicted(a)) ||
    compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
    compare(a.metadata.name ?? "", b.metadata.name ?? "") ||
    compare(a.metadata.namespace ?? "", b.metadata.namespace ?? "")
  );
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
