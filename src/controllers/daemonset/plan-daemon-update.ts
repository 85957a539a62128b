import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodAvailable } from "../../api/core/v1/pod/pod-state.ts";
import { scaledValue } from "../../schema/values/int-or-string.ts";
import { isUpdated } from "./daemon-pod.ts";

/** The state of a rolling update. */
export interface DaemonRollout {
  readonly daemonSet: DaemonSet;
  readonly hash: string;
  /** All nodes that have pods or should have one. */
  readonly nodes: readonly RolloutNode[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface RolloutNode {
  readonly name: string;
  readonly shouldRun: boolean;
  readonly pods: readonly Pod[];
}

/** What the next step of a rolling update deletes, and on which nodes it creates pods. */
export interface RolloutPlan {
  readonly deletes: readonly Pod[];
  readonly creates: readonly string[];
}

/** Decides on the next step of a rolling update: old pods go first, or new ones come first if it may surge. */
export function planDaemonUpdate(rollout: DaemonRollout): RolloutPlan {
  const { daemonSet, nodes } = rollout;
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length;
  const surge = maxSurge(daemonSet, desired);
  if (surge > 0) return planSurge(rollout, { surge, desired });
  return { deletes: plainDeletions(rollout, maxUnavailable(daemonSet, desired)), creates: [] };
}

/** How many nodes may have two pods during an update. */
export const maxSurge = ({ spec }: DaemonSet, desired: number): number =>
  spec.updateStrategy.type === "RollingUpdate"
    ? scaledValue(spec.updateStrategy.rollingUpdate?.maxSurge ?? 0, desired, "up")
    : 0;

/** How many nodes may be without a pod; at least one, as no update could proceed otherwise. */
function maxUnavailable({ spec }: DaemonSet, desired: number): number {
  const { maxUnavailable: share = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  const count = scaledValue(share, desired, "up");
  return count === 0 && desired > 0 ? 1 : count;
}

/** The new and the old pod of a node; undefined if there are several, which are excess. */
function pairOf(
  pods: readonly Pod[],
  { daemonSet, hash }: DaemonRollout,
): { readonly newPod: Pod | undefined; readonly oldPod: Pod | undefined } | undefined {
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const [newPod, ...moreNew] = alive.filter((pod) => isUpdated(pod, daemonSet, hash));
  const [oldPod, ...moreOld] = alive.filter((pod) => !isUpdated(pod, daemonSet, hash));
  return moreNew.length + moreOld.length > 0 ? undefined : { newPod, oldPod };
}

/** Old pods that are unavailable, and as many available ones as may become unavailable. */
function plainDeletions(rollout: DaemonRollout, most: number): readonly Pod[] {
  const isAvailable = availabilityIn(rollout);
  const replaced: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { pods } of rollout.nodes) {
    const pair = pairOf(pods, rollout);
    const { newPod, oldPod } = pair ?? {};
    if (oldPod && !newPod && isAvailable(oldPod)) candidates.push(oldPod);
    else if (!newPod || oldPod || !isAvailable(newPod)) unavailable++;
    if (oldPod && !newPod && !isAvailable(oldPod)) replaced.push(oldPod);
  }
  return [...replaced, ...candidates.slice(0, Math.max(0, most - unavailable))];
}

function planSurge(
  rollout: DaemonRollout,
  { surge, desired }: { readonly surge: number; readonly desired: number },
): RolloutPlan {
  const isAvailable = availabilityIn(rollout);
  const isSomeAvailable = (pod: Pod | undefined): boolean => pod !== undefined && isAvailable(pod);
  const deletes: Pod[] = [];
  /** Available old pods on nodes that should have none any more. */
  const misplaced: Pod[] = [];
  const allowed: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { name, pods, shouldRun } of rollout.nodes) {
    const pair = pairOf(pods, rollout);
    if (!pair) {
      surging++;
      continue;
    }
    const { newPod, oldPod } = pair;
    const isUp = isSomeAvailable(oldPod ?? newPod);
    if (isUp) available++;
    if (!oldPod) continue;
    if (newPod) {
      if (isSomeAvailable(newPod)) deletes.push(oldPod);
      else surging++;
    } else if (shouldRun) (isUp ? candidates : allowed).push(name);
    else (isUp ? misplaced : deletes).push(oldPod);
  }
  // Pods on former nodes go only as far as enough others are available.
  const spare = Math.max(0, available - desired);
  return {
    deletes: [...deletes, ...misplaced.slice(0, spare)],
    creates: [...allowed, ...candidates.slice(0, Math.max(0, surge - surging))],
  };
}

const availabilityIn =
  ({ daemonSet, now }: DaemonRollout) =>
  (pod: Pod): boolean =>
    isPodAvailable(pod, daemonSet.spec.minReadySeconds ?? 0, now);
