import {
  type AffinityTerm,
  termMatches,
  type WeightedAffinityTerm,
} from "../../framework/affinity-term.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type NodeScores } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

type Labels = Readonly<Record<string, string>>;

/** Weights by topology key and value. */
export type DomainWeights = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface PreferenceOptions {
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
  readonly namespaceLabels: Labels | undefined;
  /** The weight of required affinity terms of other pods that match this one. */
  readonly hardWeight: number;
}

/** Sums the weights of the pod's preferred terms, and of other pods' terms that match it. */
export function domainWeights(
  pod: PodInfo,
  { preferred, preferredAnti, namespaceLabels, hardWeight }: PreferenceOptions,
  nodes: readonly NodeInfo[],
): DomainWeights {
  const weights = new Map<string, Map<string, number>>();
  const hasOwn = preferred.length > 0 || preferredAnti.length > 0;
  const add = (term: AffinityTerm, labels: Labels, weight: number): void => {
    const { topologyKey } = term;
    const place = labels[topologyKey];
    if (place === undefined) return;
    const places = weights.get(topologyKey) ?? new Map<string, number>();
    weights.set(topologyKey, places);
    places.set(place, (places.get(place) ?? 0) + weight);
  };
  const addAll = (
    terms: readonly WeightedAffinityTerm[],
    about: { readonly meant: PodInfo; readonly namespaceLabels: Labels | undefined },
    { labels, sign }: { readonly labels: Labels; readonly sign: 1 | -1 },
  ): void => {
    for (const { term, weight } of terms)
      if (termMatches(term, about.meant.pod, about.namespaceLabels))
        add(term, labels, weight * sign);
  };
  for (const { pods, podsWithAffinity, labels } of nodes)
    for (const other of hasOwn ? pods : podsWithAffinity) {
      const own = { meant: other, namespaceLabels: undefined };
      addAll(preferred, own, { labels, sign: 1 });
      addAll(preferredAnti, own, { labels, sign: -1 });
      const theirs = { meant: pod, namespaceLabels };
      if (hardWeight > 0)
        for (const term of other.terms.required)
          if (termMatches(term, pod.pod, namespaceLabels)) add(term, labels, hardWeight);
      addAll(other.terms.preferred, theirs, { labels, sign: 1 });
      addAll(other.terms.preferredAnti, theirs, { labels, sign: -1 });
    }
  return weights;
}

/** The weight of a node's topology domains. */
export function domainWeight({ labels }: NodeInfo, weights: DomainWeights): number {
  let sum = 0;
  for (const [key, places] of weights) {
    const place = labels[key];
    if (place !== undefined) sum += places.get(place) ?? 0;
  }
  return sum;
}

/** Scales the scores to 0–100; all 0 if they are equal. */
export function normalizeDomainWeights({ values }: NodeScores): void {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const range = most - least;
  for (let i = 0; i < values.length; i++)
    values[i] = range > 0 ? Math.trunc(maxNodeScore * (((values[i] ?? 0) - least) / range)) : 0;
}
