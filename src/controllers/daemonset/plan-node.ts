import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable, isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { revisionLabel } from "../revisions/controller-revisions.ts";
import { olderFirst } from "./daemon-pod.ts";
import type { Placement } from "./daemon-set-placement.ts";

/** A node and the pods that a daemon set has there. */
export interface DaemonNode {
  readonly placement: Placement;
  /** Its pods, without those that have terminated and are being deleted. */
  readonly pods: readonly Pod[];
  /** Whether a rolling update may start a second pod beside the old one. */
  readonly surges: boolean;
  /** The hash of the current revision. */
  readonly hash: string;
  readonly minReadySeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a node needs. */
export interface NodePlan {
  readonly creates: boolean;
  /** Pods that are not needed. */
  readonly excess: readonly Pod[];
  /** Pods that are replaced because they have failed, as often as the backoff allows. */
  readonly failed: readonly Pod[];
  /** Pods that are replaced because they have succeeded. */
  readonly succeeded: readonly Pod[];
}

/** Decides what a node needs, rolling updates apart. */
export function planNode(node: DaemonNode): NodePlan {
  const { placement, pods } = node;
  const nothing = { creates: false, excess: [], failed: [], succeeded: [] };
  if (placement.shouldRun && pods.length === 0) return { ...nothing, creates: true };
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!placement.mayStay) return { ...nothing, excess: alive };
  const failed = alive.filter(({ status }) => status.phase === "Failed");
  const succeeded = alive.filter(({ status }) => status.phase === "Succeeded");
  const running = alive
    .filter((pod) => !failed.includes(pod) && !succeeded.includes(pod))
    .toSorted(olderFirst);
  // A surging update needs a pod that is not being deleted on every node.
  const creates = node.surges && running.length === 0 && placement.shouldRun;
  const excess = node.surges ? beyondSurge(running, node) : running.slice(1);
  return { creates, excess, failed, succeeded };
}

/** Keeps the oldest new pod, and the oldest old one while that is ready and the new one is not available. */
function beyondSurge(
  running: readonly Pod[],
  { hash, minReadySeconds, now }: DaemonNode,
): readonly Pod[] {
  if (running.length <= 1) return [];
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[revisionLabel] === hash;
  const newPod = running.find(isNew);
  const oldPod = running.find((pod) => !isNew(pod));
  const excess = running.filter((pod) => pod !== newPod && pod !== oldPod);
  const isReplaced =
    newPod && oldPod && (!isPodReady(oldPod) || isPodAvailable(newPod, minReadySeconds, now));
  return isReplaced ? [...excess, oldPod] : excess;
}
