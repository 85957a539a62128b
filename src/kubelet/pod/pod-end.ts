import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { gracePeriodOf } from "./container/kill-container.ts";
import type { Finding } from "./status/pod-conditions.ts";

/** Why the kubelet ends a pod. */
export interface PodEnd {
  readonly reason: string;
  readonly message: string;
  /** The grace period in seconds, if it is shorter than that of a deletion; by default the pod's. */
  readonly graceSeconds?: number | undefined;
  /** A condition that the pod has when it has ended. */
  readonly condition?: Finding | undefined;
}

/** The grace period in seconds of a pod that ends: the shortest that was requested, but at least one second. */
export function endGrace(pod: Pod, end: PodEnd | undefined): number {
  const { deletionGracePeriodSeconds: ofDeletion } = pod.metadata;
  const ofEnd = end?.graceSeconds;
  if (ofEnd === undefined) return Math.max(1, gracePeriodOf(pod, undefined, ""));
  return Math.max(1, ofDeletion === undefined ? ofEnd : Math.min(ofDeletion, ofEnd));
}
