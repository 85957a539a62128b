import type { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isTaintedOutOfService } from "../../api/core/v1/scheduling/well-known-taint.ts";

/** Whether a pod has succeeded or failed. */
export const isTerminated = ({ status: { phase = "" } }: Pod): boolean =>
  phase !== "Pending" && phase !== "Running" && phase !== "Unknown";

/** Whether a pod is being deleted and has no node, so that no kubelet will complete the deletion. */
export const isUnscheduledTerminating = ({ metadata, spec }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && !spec.nodeName;

/** Whether a pod is being deleted on a node that is tainted as out of service. */
export const isOutOfService = ({ metadata }: Pod, node: Node | undefined): boolean =>
  metadata.deletionTimestamp !== undefined && node !== undefined && isNodeOutOfService(node);

export const isNodeOutOfService = (node: Node): boolean =>
  isTaintedOutOfService(node) && !isNodeReady(node);

/** Whether only finalizers of others keep a pod that is being deleted. */
export const isHeldByOthers = ({ metadata, status: { phase } }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined &&
  metadata.deletionGracePeriodSeconds === 0 &&
  (phase === "Succeeded" || phase === "Failed");

/** The terminated pods beyond the threshold: evicted ones first, then the oldest. */
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
