import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PodDisruptionBudget } from "../../../api/policy/v1/pod-disruption-budget.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { DefaultPreemptionArgs } from "../../configuration/plugin-args.ts";
import { actions, podResource } from "../../framework/cluster-event.ts";
import type { CycleState } from "../../framework/cycle-state.ts";
import { fitMessage, NodeStatuses } from "../../framework/diagnosis.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PluginFactory, PostFilterResult } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { errorStatus, type Status, status } from "../../framework/status.ts";
import { bestCandidate, type Candidate } from "./candidate.ts";
import { Preemption } from "./preemption.ts";
import { selectVictims, type VictimSearch } from "./select-victims.ts";

/** Evicts pods of lower priority to make room for a pod that fits no node. */
export const defaultPreemption: PluginFactory = (args, handle) => {
  const { minCandidateNodesPercentage: percentage = 10, minCandidateNodesAbsolute: least = 100 } =
    (args ?? {}) as DefaultPreemptionArgs;
  const pods = handle.informer(Pod);
  const budgets = handle.informer(PodDisruptionBudget);
  const preemption = new Preemption(handle, pods);
  const stillRunning = status(
    "UnschedulableAndUnresolvable",
    "waiting for the preemption for this pod to be finished",
  );

  const preempt = async (
    state: CycleState,
    pod: PodInfo,
    nodes: NodeStatuses,
  ): Promise<PostFilterResult> => {
    const current = pods.get({ name: pod.name, namespace: pod.namespace });
    if (!current) return { status: errorStatus(new Error(`pod "${pod.name}" not found`)) };
    const why = ineligibility(pod, nodes, handle.snapshot.get(nominatedNode(current)));
    if (why) return { status: status("Unschedulable", why) };
    const potential = nodes.withCode(handle.snapshot.nodes, "Unschedulable");
    const search = { handle, pod, budgets: budgets.list() };
    const wanted = Math.min(
      potential.length,
      Math.max(least, Math.trunc((potential.length * percentage) / 100)),
    );
    const offset = Math.floor(handle.random.next() * potential.length);
    const tried = dryRun(search, state, { potential, wanted, offset });
    if (tried.candidates.length === 0) {
      if (tried.faults.length > 0)
        return { status: errorStatus(new Error(tried.faults.join(", "))) };
      const { nodes: statuses } = tried;
      statuses.absent = notHelpful;
      const message = fitMessage(handle.snapshot.nodes.length, {
        nodes: statuses,
        preFilterMessage: "",
        postFilterMessage: "",
      });
      return { status: status("Unschedulable", message), nominatedNode: "" };
    }
    const { extenders, snapshot } = handle;
    const candidates = extenders.preemptFor(pod)
      ? await extenders.preempt(pod, tried.candidates, snapshot)
      : tried.candidates;
    const best = bestCandidate(candidates, handle.clock.now());
    if (!best) return { status: status("Unschedulable", "no candidate node for preemption") };
    preemption.begin(pod, best);
    return { nominatedNode: best.node };
  };

  return {
    name: "DefaultPreemption",
    preEnqueue: ({ metadata }) =>
      preemption.isRunningFor(metadata.uid ?? "") ? stillRunning : undefined,
    async postFilter(state, pod, nodes) {
      handle.metrics.preemptionAttempts();
      const result = await preempt(state, pod, nodes).catch((error: unknown) => ({
        status: errorStatus(error),
      }));
      if (!result.status || result.status.reasons.length === 0) return result;
      const outcome = status(result.status.code, `preemption: ${result.status.reasons.join(", ")}`);
      return { ...result, status: { ...outcome, error: result.status.error } };
    },
    // `preEnqueue` keeps the pod out of the queue while its preemption is running.
    eventsToRegister: () => [
      { event: { resource: podResource, action: actions.delete }, hint: () => "QueueSkip" },
    ],
  };
};

const notHelpful = status(
  "UnschedulableAndUnresolvable",
  "Preemption is not helpful for scheduling",
);

const nominatedNode = ({ status: { nominatedNodeName = "" } }: Pod): string => nominatedNodeName;

/** Why a pod may not preempt others: its policy forbids it, or earlier victims are still terminating. */
function ineligibility(
  { pod, priority }: PodInfo,
  nodes: NodeStatuses,
  nominated: NodeInfo | undefined,
): string | undefined {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  if (!nominated || nodes.get(nominated.name).code === "UnschedulableAndUnresolvable")
    return undefined;
  const isGoing = nominated.pods.some(
    (other) => other.priority < priority && isBeingPreempted(other.pod),
  );
  return isGoing ? "not eligible due to a terminating pod on the nominated node." : undefined;
}

function isBeingPreempted({ metadata, status: { conditions } }: Pod): boolean {
  if (!metadata.deletionTimestamp) return false;
  const target = conditions?.find(({ type }) => type === "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}

/**
 * Finds victims node by node until there are enough candidates; those without budget violations first.
 */
function dryRun(
  search: VictimSearch,
  state: CycleState,
  {
    potential,
    wanted,
    offset,
  }: {
    readonly potential: readonly NodeInfo[];
    readonly wanted: number;
    readonly offset: number;
  },
): {
  readonly candidates: readonly Candidate[];
  readonly nodes: NodeStatuses;
  readonly faults: readonly string[];
} {
  const harmless: Candidate[] = [];
  const violating: Candidate[] = [];
  const nodes = new NodeStatuses();
  const faults: string[] = [];
  for (let i = 0; i < potential.length; i++) {
    const node = potential[(offset + i) % potential.length] as NodeInfo;
    const found = tryOn(search, state, node);
    if ("code" in found) {
      nodes.set(node.name, found);
      if (found.code === "Error") faults.push(found.reasons.join(", "));
      continue;
    }
    const list = found.violations === 0 ? harmless : violating;
    if (list.length < wanted) list.push(found);
    if (harmless.length > 0 && harmless.length + violating.length >= wanted) break;
  }
  return { candidates: [...harmless, ...violating], nodes, faults };
}

function tryOn(search: VictimSearch, state: CycleState, node: NodeInfo): Candidate | Status {
  try {
    const found = selectVictims(search, state.clone(), node.clone());
    if ("code" in found || found.victims.length > 0) return found;
    throw new Error(`expected at least one victim pod on node "${node.name}"`);
  } catch (error) {
    return { ...errorStatus(error), reasons: [errorMessage(error)] };
  }
}
