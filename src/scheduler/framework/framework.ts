import { errorMessage } from "../../base/error-message.ts";
import { quote } from "../../schema/values/quote.ts";
import type { Profile } from "../configuration/scheduler-configuration.ts";
import type { SchedulerMetrics } from "../scheduler-metrics.ts";
import type { CycleState } from "./cycle-state.ts";
import type { NodeStatuses } from "./diagnosis.ts";
import type { Handle } from "./handle.ts";
import type { NodeInfo } from "./node-info.ts";
import {
  maxNodeScore,
  type Plugin,
  type PodOnNode,
  type PostFilterResult,
  type PreFilterResult,
} from "./plugin.ts";
import { type PluginLists, pluginLists, type With } from "./plugin-lists.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Registry } from "./registry.ts";
import { codeOf, errorStatus, isRejected, type Status, saidBy, status } from "./status.ts";

/** What a profile shares with the others: all of a handle but what is its own. */
export interface FrameworkSurroundings
  extends Omit<
    Handle,
    | "profileName"
    | "events"
    | "metrics"
    | "runFilters"
    | "runFiltersWithNominatedPods"
    | "addPodToState"
    | "removePodFromState"
  > {
  /** Where a profile tells what happens, by its name. */
  readonly eventsOf: (profile: string) => Handle["events"];
  readonly metrics: SchedulerMetrics;
  /** Whether any pod is nominated for any node: mostly none is, and nothing needs to be asked. */
  readonly hasNominatedPods: () => boolean;
}

/** What came of the plugins that look at a pod before nodes are looked at. */
export interface PreFilterOutcome {
  readonly status?: Status | undefined;
  /** The only nodes that come into question, and whose doing that is. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  readonly plugins: ReadonlySet<string>;
}

/** The plugins of a profile, and how each extension point of the scheduling cycle is run. */
export class Framework {
  readonly name: string;
  readonly handle: Handle;
  readonly lists: PluginLists;
  readonly metrics: SchedulerMetrics;
  readonly ticks: () => number;
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly percentageOfNodesToScore: number | undefined;
  readonly #surroundings: FrameworkSurroundings;

  constructor(profile: Profile, registry: Registry, surroundings: FrameworkSurroundings) {
    const { schedulerName = "", percentageOfNodesToScore } = profile;
    const { metrics, eventsOf, hasNominatedPods: _, ...rest } = surroundings;
    this.name = schedulerName;
    this.percentageOfNodesToScore = percentageOfNodesToScore;
    this.metrics = metrics;
    this.ticks = surroundings.ticks;
    this.#surroundings = surroundings;
    this.handle = {
      ...rest,
      profileName: schedulerName,
      events: eventsOf(schedulerName),
      metrics: {
        preemptionAttempts: () => metrics.preemptionAttempts.add(1),
        preemptionVictims: (count) => metrics.preemptionVictims.observe(count),
        preempted: (result, seconds) => {
          metrics.preemptionRuns.of(result).add(1);
          metrics.preemptionSeconds.of(result).observe(seconds);
        },
      },
      runFilters: (state, pod, node) => this.runFilters(state, pod, node),
      runFiltersWithNominatedPods: (state, pod, node) =>
        this.runFiltersWithNominatedPods(state, pod, node),
      addPodToState: (state, pod, change) => this.#follow("addPod", state, { pod, change }),
      removePodFromState: (state, pod, change) => this.#follow("removePod", state, { pod, change }),
    };
    this.plugins = madePlugins(profile, registry, this.handle);
    this.lists = pluginLists(profile, this.plugins);
  }

  runPreFilters(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome {
    const since = this.ticks();
    const outcome = this.#runPreFilters(state, pod, nodes);
    this.#observe("PreFilter", outcome.status, since);
    return outcome;
  }

  #runPreFilters(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterOutcome {
    let nodeNames: ReadonlySet<string> | undefined;
    let rejected: Status | undefined;
    const plugins = new Set<string>();
    for (const plugin of this.lists.preFilter) {
      const said = this.#said("PreFilter", plugin, state, () =>
        plugin.preFilter(state, pod, nodes),
      );
      this.metrics.pluginEvaluations.of(plugin.name, "PreFilter", this.name).add(1);
      if (said === undefined) continue;
      if ("code" in said) {
        if (said.code === "Skip") state.skipFilter.add(plugin.name);
        else if (said.code === "Unschedulable") rejected = saidBy(plugin.name, said);
        else if (said.code === "UnschedulableAndUnresolvable")
          return { status: saidBy(plugin.name, said), plugins: noPlugins };
        else
          return {
            status: fault(`running PreFilter plugin ${quote(plugin.name)}`, said, plugin.name),
            plugins: noPlugins,
          };
        continue;
      }
      if (!said.nodeNames) continue;
      plugins.add(plugin.name);
      nodeNames = shared(nodeNames, said.nodeNames);
      if (nodeNames.size === 0) return { status: nowhere(plugins), plugins };
    }
    state.filters = this.lists.filter.filter(({ name }) => !state.skipFilter.has(name));
    return { status: rejected, nodeNames, plugins };
  }

  /** Whether a node suits a pod: the first plugin that says no is heard. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    let current: Plugin | undefined;
    try {
      for (const plugin of state.filters ?? this.lists.filter) {
        current = plugin;
        const said = plugin.filter(state, pod, node);
        if (said === undefined) continue;
        return isRejected(said)
          ? saidBy(plugin.name, said)
          : fault(`running ${quote(plugin.name)} filter plugin`, said, plugin.name);
      }
      return undefined;
    } catch (error) {
      const { name = "" } = current ?? {};
      return fault(`running ${quote(name)} filter plugin`, errorStatus(error), name);
    }
  }

  /**
   * Pods that others make room for count as if they were there already, if they are not less important;
   * and as they may not come after all, the node must also suit the pod without them.
   */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (this.#surroundings.hasNominatedPods()) {
      const nominated = this.handle
        .nominatedPods(node.name)
        .filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
      if (nominated.length > 0) {
        const said = this.#runFiltersWith(nominated, state, { pod, node });
        if (said !== undefined) return said;
      }
    }
    return this.runFilters(state, pod, node);
  }

  #runFiltersWith(
    others: readonly PodInfo[],
    state: CycleState,
    { pod, node }: { readonly pod: PodInfo; readonly node: NodeInfo },
  ): Status | undefined {
    const thought = node.clone();
    const thoughtState = state.clone();
    try {
      for (const other of others) {
        thought.addPod(other);
        const change = { other, node: thought };
        this.#follow("addPod", thoughtState, { pod, change });
      }
    } catch (error) {
      return errorStatus(error);
    }
    return this.runFilters(thoughtState, pod, thought);
  }

  /** What can be done for a pod that no node suits. */
  async runPostFilters(
    state: CycleState,
    pod: PodInfo,
    nodes: NodeStatuses,
  ): Promise<PostFilterResult> {
    const since = this.ticks();
    const result = await this.#runPostFilters(state, pod, nodes);
    this.#observe("PostFilter", result.status, since);
    return result;
  }

  async #runPostFilters(
    state: CycleState,
    pod: PodInfo,
    nodes: NodeStatuses,
  ): Promise<PostFilterResult> {
    const reasons: string[] = [];
    let nominatedNode: string | undefined;
    let first: string | undefined;
    for (const plugin of this.lists.postFilter) {
      const since = this.ticks();
      const result = await attempt(() => plugin.postFilter(state, pod, nodes));
      if (state.isMeasured)
        this.#observePlugin("PostFilter", plugin, { said: result.status, since });
      const said = result.status;
      if (said === undefined) return result;
      if (said.code === "UnschedulableAndUnresolvable" || !isRejected(said))
        return { ...result, status: saidBy(plugin.name, said) };
      nominatedNode = result.nominatedNode ?? nominatedNode;
      reasons.push(...said.reasons);
      first ??= plugin.name;
    }
    return { nominatedNode, status: { ...status("Unschedulable", ...reasons), plugin: first } };
  }

  runPreScores(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    return this.timed("PreScore", () => {
      for (const plugin of this.lists.preScore) {
        const said = this.#said("PreScore", plugin, state, () =>
          plugin.preScore(state, pod, nodes),
        );
        this.metrics.pluginEvaluations.of(plugin.name, "PreScore", this.name).add(1);
        if (said?.code === "Skip") state.skipScore.add(plugin.name);
        else if (said !== undefined)
          return fault(`running PreScore plugin ${quote(plugin.name)}`, said);
      }
      return undefined;
    });
  }

  /** The sum of what all plugins think of each node; throws a fault. */
  runScores(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): number[] {
    const since = this.ticks();
    const totals = new Array<number>(nodes.length).fill(0);
    for (const plugin of this.lists.score) {
      if (state.skipScore.has(plugin.name)) continue;
      const values = this.#scoresOf(plugin, state, { pod, nodes });
      const weight = this.lists.weights.get(plugin.name) ?? 1;
      for (let i = 0; i < values.length; i++) {
        const value = values[i] ?? 0;
        if (value > maxNodeScore || value < 0)
          throw new Error(
            `applying score defaultWeights on Score plugins: plugin ${quote(plugin.name)} returns an invalid score ${value}, it should in the range of [0, ${maxNodeScore}] after normalizing`,
          );
        totals[i] = (totals[i] ?? 0) + value * weight;
      }
    }
    this.#observe("Score", undefined, since);
    return totals;
  }

  #scoresOf(
    plugin: With<"score">,
    state: CycleState,
    { pod, nodes }: { readonly pod: PodInfo; readonly nodes: readonly NodeInfo[] },
  ): number[] {
    const since = this.ticks();
    const values = new Array<number>(nodes.length).fill(0);
    const named = quote(plugin.name);
    try {
      let i = 0;
      for (const node of nodes) {
        values[i] = plugin.score(state, pod, node);
        i++;
      }
    } catch (cause) {
      const message = `running Score plugins: plugin ${named} failed with: ${errorMessage(cause)}`;
      throw new Error(message, { cause });
    }
    this.metrics.pluginEvaluations.of(plugin.name, "Score", this.name).add(nodes.length);
    if (state.isMeasured) this.#observePlugin("Score", plugin, { said: undefined, since });
    try {
      plugin.normalizeScore?.(state, pod, { nodes, values });
    } catch (cause) {
      const message = `running Normalize on Score plugins: plugin ${named} failed with: ${errorMessage(cause)}`;
      throw new Error(message, { cause });
    }
    return values;
  }

  /** Runs a point, and counts how long it takes. */
  timed(point: string, run: () => Status | undefined): Status | undefined {
    const since = this.ticks();
    const said = run();
    this.#observe(point, said, since);
    return said;
  }

  observePoint(point: string, said: Status | undefined, since: number): void {
    this.#observe(point, said, since);
  }

  /** Counts how many nodes each filter was asked about. */
  countFilters(state: CycleState, nodes: number): void {
    for (const { name } of state.filters ?? this.lists.filter)
      this.metrics.pluginEvaluations.of(name, "Filter", this.name).add(nodes);
  }

  close(): void {
    for (const plugin of this.plugins.values()) plugin.close?.();
  }

  #follow(
    method: "addPod" | "removePod",
    state: CycleState,
    { pod, change }: { readonly pod: PodInfo; readonly change: PodOnNode },
  ): void {
    for (const plugin of this.lists.preFilter) {
      if (!plugin[method] || state.skipFilter.has(plugin.name)) continue;
      const said = plugin[method](state, pod, change);
      if (said === undefined) continue;
      const what = method === "addPod" ? "AddPod" : "RemovePod";
      throw new Error(
        `running ${what} on PreFilter plugin ${quote(plugin.name)}: ${said.reasons.join(", ")}`,
      );
    }
  }

  /** What a plugin says, a fault among it, and how long it took. */
  #said<R extends Status | PreFilterResult | undefined>(
    point: string,
    plugin: Plugin,
    state: CycleState,
    run: () => R,
  ): R | Status {
    const since = state.isMeasured ? this.ticks() : 0;
    let said: R | Status;
    try {
      said = run();
    } catch (error) {
      said = errorStatus(error);
    }
    if (state.isMeasured) {
      const own = said !== undefined && "code" in said ? said : undefined;
      this.#observePlugin(point, plugin, { said: own, since });
    }
    return said;
  }

  #observe(point: string, said: Status | undefined, since: number): void {
    this.metrics.pointSeconds
      .of(point, codeOf(said), this.name)
      .observe((this.ticks() - since) / 1000);
  }

  #observePlugin(
    point: string,
    { name }: Plugin,
    { said, since }: { readonly said: Status | undefined; readonly since: number },
  ): void {
    this.metrics.pluginSeconds.of(name, point, codeOf(said)).observe((this.ticks() - since) / 1000);
  }
}

/** A fault, with where it happened. */
export function fault(what: string, said: Status, plugin?: string): Status {
  const error = new Error(`${what}: ${said.reasons.join(", ")}`, { cause: said.error });
  return errorStatus(error, plugin);
}

const noPlugins: ReadonlySet<string> = new Set();

const shared = (
  some: ReadonlySet<string> | undefined,
  others: ReadonlySet<string>,
): ReadonlySet<string> =>
  some === undefined ? others : new Set([...some].filter((name) => others.has(name)));

function nowhere(plugins: ReadonlySet<string>): Status {
  const names = [...plugins].sort();
  const message =
    names.length === 1
      ? `node(s) didn't satisfy plugin ${names[0]}`
      : `node(s) didn't satisfy plugin(s) [${names.join(" ")}] simultaneously`;
  return status("UnschedulableAndUnresolvable", message);
}

async function attempt(
  run: () => PostFilterResult | Promise<PostFilterResult>,
): Promise<PostFilterResult> {
  try {
    return await run();
  } catch (error) {
    return { status: errorStatus(error) };
  }
}

function madePlugins(
  { plugins = {}, pluginConfig = [] }: Profile,
  registry: Registry,
  handle: Handle,
): ReadonlyMap<string, Plugin> {
  const needed = new Set(
    Object.values(plugins).flatMap((set) => (set?.enabled ?? []).map(({ name }) => name)),
  );
  const made = new Map<string, Plugin>();
  for (const name of [...needed].sort()) {
    const factory = Object.hasOwn(registry, name) ? registry[name] : undefined;
    if (!factory) continue;
    const args = pluginConfig.find((one) => one.name === name)?.args;
    try {
      made.set(name, factory(args, handle));
    } catch (cause) {
      throw new Error(`initializing plugin ${quote(name)}: ${errorMessage(cause)}`, { cause });
    }
  }
  return made;
}
