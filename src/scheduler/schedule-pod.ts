import type { Random } from "../base/random.ts";
import type { Extenders } from "./extenders/extenders.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import { type Diagnosis, FitError, newDiagnosis, recordRejection } from "./framework/diagnosis.ts";
import type { Framework } from "./framework/framework.ts";
import type { NodeInfo } from "./framework/node-info.ts";
import type { PodInfo } from "./framework/pod-info.ts";
import type { Snapshot } from "./framework/snapshot.ts";
import { isRejected, status } from "./framework/status.ts";

/** Thrown if the cluster has no nodes. */
export class NoNodesError extends Error {
  override readonly name = "NoNodesError";

  constructor() {
    super("no nodes available to schedule pods");
  }
}

export interface ScheduleResult {
  readonly node: string;
  readonly evaluatedNodes: number;
  readonly feasibleNodes: number;
}

export interface PodSchedulerOptions {
  readonly snapshot: Snapshot;
  readonly random: Random;
  /** The percentage of nodes that must fit before the search ends; 0 adapts it to the cluster's size. */
  readonly percentageOfNodesToScore: number;
  readonly extenders: Extenders;
}

/** Finds the best node for one pod at a time. */
export class PodScheduler {
  readonly #options: PodSchedulerOptions;
  /** The index at which the next search starts, so that all nodes are considered equally. */
  #next = 0;

  constructor(options: PodSchedulerOptions) {
    this.#options = options;
  }

  /**
   * Returns the node for a pod, and a promise only if an extender takes part; fails with a `FitError` if
   * no node fits, a `NoNodesError`, or an error of a plugin or extender.
   */
  schedule(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
  ): ScheduleResult | Promise<ScheduleResult> {
    const steps = this.#schedule(framework, state, pod);
    const first = steps.next();
    return first.done ? first.value : finished(steps, first.value);
  }

  /** Yields what it waits for. */
  *#schedule(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
  ): Generator<Promise<void>, ScheduleResult, void> {
    const { nodes } = this.#options.snapshot;
    if (nodes.length === 0) throw new NoNodesError();
    const diagnosis = newDiagnosis();
    const feasible = yield* this.#feasibleNodes(framework, state, { pod, diagnosis });
    const [first] = feasible;
    if (!first) throw new FitError(pod, nodes.length, diagnosis);
    const evaluatedNodes = feasible.length + diagnosis.nodes.size;
    const chosen =
      feasible.length === 1 ? first : yield* this.#best(framework, state, { pod, feasible });
    return { node: chosen.name, evaluatedNodes, feasibleNodes: feasible.length };
  }

  *#feasibleNodes(
    framework: Framework,
    state: CycleState,
    search: Search,
  ): Generator<Promise<void>, readonly NodeInfo[], void> {
    const { pod, diagnosis } = search;
    const { snapshot } = this.#options;
    const outcome = framework.runPreFilters(state, pod, snapshot.nodes);
    for (const plugin of outcome.plugins) diagnosis.unschedulablePlugins.add(plugin);
    if (outcome.status) {
      if (!isRejected(outcome.status)) throw outcome.status.error;
      diagnosis.nodes.absent = outcome.status;
      diagnosis.preFilterMessage = outcome.status.reasons.join(", ");
      recordRejection(diagnosis, outcome.status);
      return [];
    }
    // Try the nominated node first: after preemption it is probably the only one that fits.
    const nominated = snapshot.get(pod.pod.status.nominatedNodeName ?? "");
    if (nominated) {
      const found = this.#passing(framework, state, { ...search, nodes: [nominated] });
      const left = yield* this.#extended(found, search);
      if (left.length > 0) return left;
    }
    let { nodes } = snapshot;
    if (outcome.nodeNames) {
      nodes = [...outcome.nodeNames].map((name) => snapshot.get(name)).filter((node) => !!node);
      const names = [...outcome.plugins].sort().join(" ");
      diagnosis.nodes.absent = status(
        "UnschedulableAndUnresolvable",
        `node(s) didn't satisfy plugin(s) [${names}]`,
      );
    }
    const found = this.#passing(framework, state, { ...search, nodes });
    this.#next = (this.#next + found.length + diagnosis.nodes.size) % snapshot.nodes.length;
    return yield* this.#extended(found, search);
  }

  /** Returns the nodes that extenders leave. */
  *#extended(
    found: readonly NodeInfo[],
    { pod, diagnosis }: Search,
  ): Generator<Promise<void>, readonly NodeInfo[], void> {
    const { extenders } = this.#options;
    if (found.length === 0 || !extenders.filterFor(pod)) return found;
    let left = found;
    yield extenders.filter(pod, found, diagnosis).then((nodes) => {
      left = nodes;
    });
    return left;
  }

  /** Returns nodes that pass all filters, as many as needed. */
  #passing(
    framework: Framework,
    state: CycleState,
    { pod, diagnosis, nodes }: Search & { readonly nodes: readonly NodeInfo[] },
  ): readonly NodeInfo[] {
    const since = framework.ticks();
    const wanted = this.#wanted(framework, nodes.length);
    const found: NodeInfo[] = [];
    let looked = 0;
    for (; looked < nodes.length && found.length < wanted; looked++) {
      const node = nodes[(this.#next + looked) % nodes.length] as NodeInfo;
      const outcome = framework.runFiltersWithNominatedPods(state, pod, node);
      if (outcome === undefined) {
        found.push(node);
        continue;
      }
      if (!isRejected(outcome)) throw outcome.error;
      diagnosis.nodes.set(node.name, outcome);
      recordRejection(diagnosis, outcome);
    }
    framework.countFilters(state, looked);
    framework.observePoint("Filter", undefined, since);
    return found;
  }

  #wanted({ percentageOfNodesToScore, lists }: Framework, nodes: number): number {
    if (lists.score.length === 0 && !this.#options.extenders.compareNodes) return 1;
    const percentage = percentageOfNodesToScore ?? this.#options.percentageOfNodesToScore;
    return nodesToFind(nodes, percentage);
  }

  *#best(
    framework: Framework,
    state: CycleState,
    { pod, feasible }: { readonly pod: PodInfo; readonly feasible: readonly NodeInfo[] },
  ): Generator<Promise<void>, NodeInfo, void> {
    const outcome = framework.runPreScores(state, pod, feasible);
    if (outcome) throw outcome.error;
    const scores = framework.runScores(state, pod, feasible);
    const { extenders } = this.#options;
    if (extenders.prioritizeFor(pod)) yield extenders.addScores(pod, feasible, scores);
    return feasible[highest(scores, this.#options.random)] as NodeInfo;
  }
}

/** Runs the rest of a search that waits for extenders. */
async function finished<T>(
  steps: Generator<Promise<void>, T, void>,
  first: Promise<void>,
): Promise<T> {
  for (let waiting = first; ; ) {
    await waiting;
    const next = steps.next();
    if (next.done) return next.value;
    waiting = next.value;
  }
}

interface Search {
  readonly pod: PodInfo;
  readonly diagnosis: Diagnosis;
}

/**
 * The number of fitting nodes that is enough: all of up to a hundred nodes; otherwise a percentage that
 * falls from 50 to 5 with the cluster's size, but at least a hundred.
 */
export function nodesToFind(nodes: number, percentage: number): number {
  if (nodes < leastNodes) return nodes;
  const share =
    percentage === 0 ? Math.max(leastPercentage, 50 - Math.trunc(nodes / 125)) : percentage;
  return Math.max(leastNodes, Math.trunc((nodes * share) / 100));
}

const leastNodes = 100;
const leastPercentage = 5;

/** Returns the index of the highest score; equal ones are chosen with equal probability. */
export function highest(scores: readonly number[], random: Random): number {
  let best = 0;
  let ties = 1;
  for (let i = 1; i < scores.length; i++) {
    const score = scores[i] as number;
    const most = scores[best] as number;
    if (score > most) {
      best = i;
      ties = 1;
    } else if (score === most) {
      ties++;
      if (random.next() * ties < 1) best = i;
    }
  }
  return best;
}
