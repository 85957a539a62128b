import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { DaemonSetStatus } from "../../api/apps/v1/daemon-set-spec.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable, isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { isUpdated, olderFirst } from "./daemon-pod.ts";

/** The input of the status of a daemon set. */
export interface DaemonSetFacts {
  readonly nodes: readonly { readonly shouldRun: boolean; readonly pods: readonly Pod[] }[];
  /** The hash of the current revision. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The status that a daemon set should have. */
export function daemonSetStatus(
  daemonSet: DaemonSet,
  { nodes, hash, now }: DaemonSetFacts,
): DaemonSetStatus {
  const { metadata, spec, status } = daemonSet;
  const desired = nodes.filter(({ shouldRun }) => shouldRun);
  // The oldest pod of a node counts.
  const counted = desired
    .map(({ pods }) => pods.toSorted(olderFirst)[0])
    .filter((pod) => pod !== undefined);
  const ready = counted.filter(isPodReady);
  const { minReadySeconds = 0 } = spec;
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length;
  const updated = counted.filter((pod) => isUpdated(pod, daemonSet, hash)).length;
  const misscheduled = nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0);
  const unavailable = desired.length - available;
  const { collisionCount, conditions } = status;
  return {
    currentNumberScheduled: counted.length,
    numberMisscheduled: misscheduled.length,
    desiredNumberScheduled: desired.length,
    numberReady: ready.length,
    observedGeneration: metadata.generation ?? status.observedGeneration,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(available > 0 && { numberAvailable: available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions !== undefined && { conditions }),
  };
}
