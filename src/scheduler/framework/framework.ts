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
import { codeOf, errorStatus, isRejected, type Status, status, withPlugin } from "./status.ts";

/** The dependencies that all profiles share; the rest of a `Handle` belongs to one profile. */
export interface FrameworkDependencies
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
  /** Returns the event recorder of a profile. */
  readonly eventsOf: (profile: string) => Handle["events"];
  readonly metrics: SchedulerMetrics;
  /** Whether any pod is nominated for any node; usually none is, and lookups can be skipped. */
  readonly hasNominatedPods: () => boolean;
}

/** The result of all `preFilter` plugins. */
export interface PreFilterOutcome {
  readonly status?: Status | undefined;
  /** The only nodes to consider, and the plugins that chose them. */
  readonly nodeNames?: ReadonlySet<string> | undefined;
  readonly plugins: ReadonlySet<string>;
}

/** The plugins of a profile, with a method to run each extension point. */
export class Framework {
  readonly name: string;
  readonly handle: Handle;
  readonly lists: PluginLists;
  readonly metrics: SchedulerMetrics;
  readonly ticks: () => number;
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly percentageOfNodesToScore: number | undefined;
  readonly #dependencies: FrameworkDependencies;

  constructor(profile: Profile, registry: Registry, dependencies: FrameworkDependencies) {
    const { schedulerName = "", percentageOfNodesToScore } = profile;
    const { metrics, eventsOf, hasNominatedPods: _, ...rest } = dependencies;
    this.name = schedulerName;
    this.percentageOfNodesToScore = percentageOfNodesToScore;
    this.metrics = metrics;
    this.ticks = dependencies.ticks;
    this.#dependencies = dependencies;
    this.handle = {
      ...rest,
      profileName: schedulerName,
      events: eventsOf(schedulerName),
      metrics: {
        preemptionAttempts: () => metrics.preemptionAttempts.add(1),
        preemptionVictims: (count) => metrics.preemptionVictims.observe(count),
        claimCreated: (status) => metrics.claimCreations.of(status).add(1),
        devicesBound: (drivers, { status, seconds, conditional }) => {
          for (const driver of drivers)
            metrics.deviceBindingSeconds.of(schedulerName, driver, status).observe(seconds);
          for (const driver of conditional)
            metrics.conditionalAllocations.of(schedulerName, driver, status).add(1);
        },
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
      const outcome = this.#run("PreFilter", plugin, state, () =>
        plugin.preFilter(state, pod, nodes),
      );
      this.metrics.pluginEvaluations.of(plugin.name, "PreFilter", this.name).add(1);
      if (outcome === undefined) continue;
      if ("code" in outcome) {
        if (outcome.code === "Skip") state.skipFilter.add(plugin.name);
        else if (outcome.code === "Unschedulable") rejected = withPlugin(plugin.name, outcome);
        else if (outcome.code === "UnschedulableAndUnresolvable")
          return { status: withPlugin(plugin.name, outcome), plugins: noPlugins };
        else
          return {
            status: fault(`running PreFilter plugin ${quote(plugin.name)}`, outcome, plugin.name),
            plugins: noPlugins,
          };
        continue;
      }
      if (!outcome.nodeNames) continue;
      plugins.add(plugin.name);
      nodeNames = shared(nodeNames, outcome.nodeNames);
      if (nodeNames.size === 0) return { status: nowhere(plugins), plugins };
    }
    state.filters = this.lists.filter.filter(({ name }) => !state.skipFilter.has(name));
    return { status: rejected, nodeNames, plugins };
  }

  /** Runs the filter plugins for a node; the first rejection is the result. */
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    let current: Plugin | undefined;
    try {
      for (const plugin of state.filters ?? this.lists.filter) {
        current = plugin;
        const since = state.isMeasured ? this.ticks() : 0;
        const outcome = plugin.filter(state, pod, node);
        if (state.isMeasured) this.#observePlugin("Filter", plugin, { outcome, since });
        if (outcome === undefined) continue;
        return isRejected(outcome)
          ? withPlugin(plugin.name, outcome)
          : fault(`running ${quote(plugin.name)} filter plugin`, outcome, plugin.name);
      }
      return undefined;
    } catch (error) {
      const { name = "" } = current ?? {};
      return fault(`running ${quote(name)} filter plugin`, errorStatus(error), name);
    }
  }

  /**
   * Runs the filters with nominated pods of the same or a higher priority added to the node, and again
   * without them, because nominated pods may not arrive. Both must succeed.
   */
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (this.#dependencies.hasNominatedPods()) {
      const nominated = this.handle
        .nominatedPods(node.name)
        .filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
      if (nominated.length > 0) {
        const outcome = this.#runFiltersWith(nominated, state, { pod, node });
        if (outcome !== undefined) return outcome;
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

  /** Runs the postFilter plugins for a pod that fits no node. */
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
        this.#observePlugin("PostFilter", plugin, { outcome: result.status, since });
      const outcome = result.status;
      if (outcome === undefined) return result;
      if (outcome.code === "UnschedulableAndUnresolvable" || !isRejected(outcome))
        return { ...result, status: withPlugin(plugin.name, outcome) };
      nominatedNode = result.nominatedNode ?? nominatedNode;
      reasons.push(...outcome.reasons);
      first ??= plugin.name;
    }
    return { nominatedNode, status: { ...status("Unschedulable", ...reasons), plugin: first } };
  }

  runPreScores(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    return this.timed("PreScore", () => {
      for (const plugin of this.lists.preScore) {
        const outcome = this.#run("PreScore", plugin, state, () =>
          plugin.preScore(state, pod, nodes),
        );
        this.metrics.pluginEvaluations.of(plugin.name, "PreScore", this.name).add(1);
        if (outcome?.code === "Skip") state.skipScore.add(plugin.name);
        else if (outcome !== undefined)
          return fault(`running PreScore plugin ${quote(plugin.name)}`, outcome);
      }
      return undefined;
    });
  }

  /** Returns the weighted sum of all scores for each node; throws an error of a plugin. */
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
    if (state.isMeasured) this.#observePlugin("Score", plugin, { outcome: undefined, since });
    try {
      plugin.normalizeScore?.(state, pod, { nodes, values });
    } catch (cause) {
      const message = `running Normalize on Score plugins: plugin ${named} failed with: ${errorMessage(cause)}`;
      throw new Error(message, { cause });
    }
    return values;
  }

  /** Runs an extension point and records its duration. */
  timed(point: string, run: () => Status | undefined): Status | undefined {
    const since = this.ticks();
    const outcome = run();
    this.#observe(point, outcome, since);
    return outcome;
  }

  observePoint(point: string, outcome: Status | undefined, since: number): void {
    this.#observe(point, outcome, since);
  }

  /** Counts the evaluated nodes of each filter plugin. */
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
      const outcome = plugin[method](state, pod, change);
      if (outcome === undefined) continue;
      const what = method === "addPod" ? "AddPod" : "RemovePod";
      throw new Error(
        `running ${what} on PreFilter plugin ${quote(plugin.name)}: ${outcome.reasons.join(", ")}`,
      );
    }
  }

  /** Runs a method of a plugin: errors become a status, and the duration is recorded. */
  #run<R extends Status | PreFilterResult | undefined>(
    point: string,
    plugin: Plugin,
    state: CycleState,
    run: () => R,
  ): R | Status {
    const since = state.isMeasured ? this.ticks() : 0;
    let outcome: R | Status;
    try {
      outcome = run();
    } catch (error) {
      outcome = errorStatus(error);
    }
    if (state.isMeasured) {
      const own = outcome !== undefined && "code" in outcome ? outcome : undefined;
      this.#observePlugin(point, plugin, { outcome: own, since });
    }
    return outcome;
  }

  #observe(point: string, outcome: Status | undefined, since: number): void {
    this.metrics.pointSeconds
      .of(point, codeOf(outcome), this.name)
      .observe((this.ticks() - since) / 1000);
  }

  #observePlugin(
    point: string,
    { name }: Plugin,
    { outcome, since }: { readonly outcome: Status | undefined; readonly since: number },
  ): void {
    this.metrics.pluginSeconds
      .of(name, point, codeOf(outcome))
      .observe((this.ticks() - since) / 1000);
  }
}

/** Adds the failed step to a status with an error. */
export function fault(what: string, outcome: Status, plugin?: string): Status {
  const error = new Error(`${what}: ${outcome.reasons.join(", ")}`, { cause: outcome.error });
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
