import { requiredNodeMatch } from "../../../api/core/v1/node-affinity-match.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type NodeScores } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import {
  countOn,
  hasAllPlaces,
  hostnameLabel,
  isCounted,
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
}

/** Counts where pods are, for the constraints that are a preference alone. */
export function spreadPreferences(
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  { all, feasible, requiresAllPlaces }: SpreadScope,
): SpreadPreferences {
  const counts = constraints.map(() => new Map<string, number>());
  const hasPlace = constraints.map(() => false);
  const ignored = new Set<string>();
  for (const { labels, name } of feasible) {
    if (requiresAllPlaces && !hasAllPlaces(labels, constraints)) {
      ignored.add(name);
      continue;
    }
    for (const [i, { topologyKey }] of constraints.entries()) {
      if (topologyKey === hostnameLabel) continue;
      const place = labels[topologyKey];
      if (place !== undefined) hasPlace[i] = true;
      counts[i]?.set(place ?? "", 0);
    }
  }
  const weights = constraints.map(({ topologyKey }, i) => {
    const places =
      topologyKey === hostnameLabel ? feasible.length - ignored.size : (counts[i]?.size ?? 0);
    return Math.log(places + 2);
  });
  const preferences = { constraints, ignored, counts, weights };
  // Where no node has a place, nobody will ask how many pods are there.
  if (hasPlace.some(Boolean)) countAll(pod, preferences, { all, requiresAllPlaces, hasPlace });
  return preferences;
}

function countAll(
  { pod, namespace }: PodInfo,
  {
    constraints,
    counts,
  }: { constraints: readonly SpreadConstraint[]; counts: Map<string, number>[] },
  {
    all,
    requiresAllPlaces,
    hasPlace,
  }: Pick<SpreadScope, "all" | "requiresAllPlaces"> & { readonly hasPlace: readonly boolean[] },
): void {
  const required = requiredNodeMatch(pod.spec);
  for (const info of all) {
    const { node, labels } = info;
    if (!node || (requiresAllPlaces && !hasAllPlaces(labels, constraints))) continue;
    for (let i = 0; i < constraints.length; i++) {
      if (!hasPlace[i]) continue;
      const constraint = constraints[i] as SpreadConstraint;
      const place = labels[constraint.topologyKey] ?? "";
      const count = counts[i]?.get(place);
      if (count === undefined || !isCounted(constraint, node, { pod, required })) continue;
      counts[i]?.set(place, count + countOn(info, constraint, namespace));
    }
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
