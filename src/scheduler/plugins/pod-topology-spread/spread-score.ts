import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type NodeScores } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { DomainTotals } from "./domain-totals.ts";
import {
  countedNodes,
  countOn,
  hasAllDomains,
  hostnameLabel,
  type SpreadConstraint,
} from "./spread-constraint.ts";

/** The number of pods per domain, and the weight of each constraint. */
export interface SpreadPreferences {
  readonly constraints: readonly SpreadConstraint[];
  /** Nodes without a topology label: they score 0. */
  readonly ignored: ReadonlySet<string>;
  /** Pods by domain; a hostname domain is a single node and counted on demand. */
  readonly counts: readonly ReadonlyMap<string, number>[];
  readonly weights: readonly number[];
}

export interface SpreadScope {
  readonly all: readonly NodeInfo[];
  readonly feasible: readonly NodeInfo[];
  /** Whether nodes without a topology label are ignored. */
  readonly requiresAllDomains: boolean;
  /** Counts of earlier cycles. */
  readonly totals: DomainTotals;
}

/** Counts pods for the ScheduleAnyway constraints. */
export function spreadPreferences(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  scope: SpreadScope,
): SpreadPreferences {
  const { feasible, requiresAllDomains } = scope;
  const ignored = new Set<string>();
  if (requiresAllDomains)
    for (const { labels, name } of feasible)
      if (!hasAllDomains(labels, constraints)) ignored.add(name);
  const isMeant = (name: string): boolean => ignored.size === 0 || !ignored.has(name);
  const counts = constraints.map((constraint) => {
    const places = new Map<string, number>();
    // A hostname domain is a single node, which is counted when it is scored.
    if (constraint.topologyKey === hostnameLabel) return places;
    let isAnywhere = false;
    for (const { labels, name } of feasible) {
      if (!isMeant(name)) continue;
      const place = labels[constraint.topologyKey];
      if (place !== undefined) isAnywhere = true;
      places.set(place ?? "", 0);
    }
    // If no node has the label, the counts are not needed.
    if (isAnywhere) countDomains(pod, constraint, { scope, constraints, places });
    return places;
  });
  const weights = constraints.map(({ topologyKey }, i) => {
    const places =
      topologyKey === hostnameLabel ? feasible.length - ignored.size : (counts[i]?.size ?? 0);
    return Math.log(places + 2);
  });
  return { constraints, ignored, counts, weights };
}

/** Adds the pods of all nodes to the known domains. */
function countDomains(
  { pod, namespace }: PodInfo,
  constraint: SpreadConstraint,
  {
    scope: { all, requiresAllDomains, totals },
    constraints,
    places,
  }: {
    readonly scope: SpreadScope;
    readonly constraints: readonly SpreadConstraint[];
    readonly places: Map<string, number>;
  },
): void {
  const isCounted = countedNodes(constraint, pod);
  if (!isCounted && !requiresAllDomains) {
    const sums = totals.of(constraint, all, namespace);
    for (const place of places.keys()) places.set(place, sums.get(place) ?? 0);
    return;
  }
  for (const info of all) {
    const { node, labels } = info;
    if (!node || (requiresAllDomains && !hasAllDomains(labels, constraints))) continue;
    const place = labels[constraint.topologyKey] ?? "";
    const count = places.get(place);
    if (count === undefined || isCounted?.(node) === false) continue;
    places.set(place, count + countOn(info, constraint, namespace));
  }
}

/** The weighted number of pods in a node's domains: fewer are better. */
export function spreadScore(
  node: NodeInfo,
  { constraints, ignored, counts, weights }: SpreadPreferences,
  namespace: string,
): number {
  if (ignored.size > 0 && ignored.has(node.name)) return 0;
  let score = 0;
  for (let i = 0; i < constraints.length; i++) {
    const constraint = constraints[i] as SpreadConstraint;
    const place = node.labels[constraint.topologyKey];
    if (place === undefined) continue;
    const count =
      constraint.topologyKey === hostnameLabel
        ? countOn(node, constraint, namespace)
        : (counts[i]?.get(place) ?? 0);
    score += count * (weights[i] ?? 0) + constraint.maxSkew - 1;
  }
  return Math.round(score);
}

/** Converts the numbers of pods to scores: 100 for the fewest. */
export function normalizeSpread({ nodes, values }: NodeScores, ignored: ReadonlySet<string>): void {
  let least = Number.MAX_SAFE_INTEGER;
  let most = 0;
  const isIgnored = nodes.map(({ name }) => ignored.size > 0 && ignored.has(name));
  for (let i = 0; i < values.length; i++) {
    if (isIgnored[i]) continue;
    const value = values[i] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  for (let i = 0; i < values.length; i++) {
    if (isIgnored[i]) values[i] = 0;
    else if (most === 0) values[i] = maxNodeScore;
    else values[i] = Math.trunc((maxNodeScore * (most + least - (values[i] as number))) / most);
  }
}
