import type { PodDisruptionBudget } from "../../../api/policy/v1/pod-disruption-budget.ts";
import type { CycleState } from "../../framework/cycle-state.ts";
import type { Handle } from "../../framework/handle.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, status } from "../../framework/status.ts";
import { type Candidate, moreImportantFirst } from "./candidate.ts";
import { victimsByBudget } from "./disruption-budgets.ts";

const nobodyToPreempt = status(
  "UnschedulableAndUnresolvable",
  "No preemption victims found for incoming pod",
);

export interface VictimSearch {
  readonly handle: Pick<
    Handle,
    "runFiltersWithNominatedPods" | "addPodToState" | "removePodFromState" | "clock"
  >;
  readonly pod: PodInfo;
  readonly budgets: readonly PodDisruptionBudget[];
}

/**
 * Finds the victims on a node, as few as possible: removes all pods of lower priority and then puts back
 * those that still fit, protected pods first, then by importance. Modifies state and node, which must be
 * clones.
 */
export function selectVictims(
  { handle, pod, budgets }: VictimSearch,
  state: CycleState,
  node: NodeInfo,
): Candidate | Status {
  const remove = (other: PodInfo): void => {
    node.removePod(other.uid);
    handle.removePodFromState(state, pod, { other, node });
  };
  const putBack = (other: PodInfo): void => {
    node.addPod(other);
    handle.addPodToState(state, pod, { other, node });
  };
  const suits = (): Status | undefined => handle.runFiltersWithNominatedPods(state, pod, node);

  const lesser = node.pods.filter(({ priority }) => priority < pod.priority);
  if (lesser.length === 0) return nobodyToPreempt;
  for (const other of lesser) remove(other);
  const outcome = suits();
  if (outcome) return outcome;

  const inOrder = moreImportantFirst(handle.clock.now());
  const { violating, others } = victimsByBudget(lesser.toSorted(inOrder), budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const other of [...violating, ...others]) {
    putBack(other);
    if (!suits()) continue;
    remove(other);
    victims.push(other);
    if (violating.includes(other)) violations++;
  }
  return { node: node.name, victims: victims.sort(inOrder), violations };
}
