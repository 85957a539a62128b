import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type NodeScores } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import type { PlaceTotals } from "./place-totals.ts";
import {
  countedNodes,
  countOn,
  hasAllPlaces,
  hostnameLabel,
  type SpreadConstraint,
} from "./spread-constraint.ts";

/** How many pods are in the places that come into question, and how much each place counts. */
export interface SpreadPreferences {
  readonly constraints: readonly SpreadConstraint[];
  /** Nodes that lack a place: they come last. */
  readonly ignored: ReadonlySet<string>;
  /** Pods by place; a node is its own place, which is counted when it is asked for. */
  readonly counts: readonly ReadonlyMap<string, number>[];
  readonly weights: readonly number[];
}

export interface SpreadScope {
  readonly all: readonly NodeInfo[];
  readonly feasible: readonly NodeInfo[];
  /** Whether nodes that lack a place are left out. */
  readonly requiresAllPlaces: boolean;
  /** What was counted for pods before. */
  readonly totals: PlaceTotals;
}

/** Counts where pods are, for the constraints that are a preference alone. */
export function spreadPreferences(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  scope: SpreadScope,
): SpreadPreferences {
  const { feasible, requiresAllPlaces } = scope;
  const ignored = new Set<string>();
  if (requiresAllPlaces)
    for (const { labels, name } of feasible)
      if (!hasAllPlaces(labels, constraints)) ignored.add(name);
  const isMeant = (name: string): boolean => ignored.size === 0 || !ignored.has(name);
  const counts = constraints.map((constraint) => {
    const places = new Map<string, number>();
    // A node is its own place, and its pods are counted when it is asked for.
    if (constraint.topologyKey === hostnameLabel) return places;
    let isAnywhere = false;
    for (const { labels, name } of feasible) {
      if (!isMeant(name)) continue;
      const place = labels[constraint.topologyKey];
      if (place !== undefined) isAnywhere = true;
      places.set(place ?? "", 0);
    }
    // Where no node has a place, nobody will ask how many pods are there.
    if (isAnywhere) countPlaces(pod, constraint, { scope, constraints, places });
    return places;
  });
  const weights = constraints.map(({ topologyKey }, i) => {
    const places =
      topologyKey === hostnameLabel ? feasible.length - ignored.size : (counts[i]?.size ?? 0);
    return Math.log(places + 2);
  });
  return { constraints, ignored, counts, weights };
}

/** Adds up the pods in places that are known already. */
function countPlaces(
  { pod, namespace }: PodInfo,
  constraint: SpreadConstraint,
  {
    scope: { all, requiresAllPlaces, totals },
    constraints,
    places,
  }: {
    readonly scope: SpreadScope;
    readonly constraints: readonly SpreadConstraint[];
    readonly places: Map<string, number>;
  },
): void {
  const isCounted = countedNodes(constraint, pod);
  if (!isCounted && !requiresAllPlaces) {
    const sums = totals.of(constraint, all, namespace);
    for (const place of places.keys()) places.set(place, sums.get(place) ?? 0);
    return;
  }
  for (const info of all) {
    const { node, labels } = info;
    if (!node || (requiresAllPlaces && !hasAllPlaces(labels, constraints))) continue;
    const place = labels[constraint.topologyKey] ?? "";
    const count = places.get(place);
    if (count === undefined || isCounted?.(node) === false) continue;
    places.set(place, count + countOn(info, constraint, namespace));
  }
}

/** How many pods are where a node is, by what each place counts: the fewer the better. */
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

/** Turns numbers of pods into scores: 100 for the fewest. */
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
