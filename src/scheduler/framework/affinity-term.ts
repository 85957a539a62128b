import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type {
  PodAffinityTerm,
  WeightedPodAffinityTerm,
} from "../../api/core/v1/scheduling/affinity.ts";
import { labelSelector, nothing, type Selector } from "../../schema/selectors/label-selector.ts";

type Labels = Readonly<Record<string, string>>;

/** One term of pod affinity or anti-affinity, parsed. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
}

export interface WeightedAffinityTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** The pod affinity terms of a pod; empty if it has none or they cannot be parsed. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
}

/** Parses the terms of a pod once, because each is matched against thousands of pods. */
export function affinityTerms(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return noTerms;
  return {
    required: readAll(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: readAll(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: readWeighted(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: readWeighted(
      pod,
      podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    ),
  };
}

/** Whether a term selects a pod; `namespaceLabels` are the labels of that pod's namespace. */
export function termMatches(
  { namespaces, namespaceSelector, selector }: AffinityTerm,
  { metadata }: Pod,
  namespaceLabels: Labels | undefined,
): boolean {
  const isNamespaceMeant =
    namespaces.has(metadata.namespace ?? "") || namespaceSelector.matches(namespaceLabels ?? {});
  return isNamespaceMeant && selector.matches(metadata.labels);
}

const noTerms: AffinityTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] };

function readAll(pod: Pod, terms: readonly PodAffinityTerm[] = []): readonly AffinityTerm[] {
  try {
    return terms.map((term) => readTerm(pod, term));
  } catch {
    // Servers accept selectors that cannot be parsed: such terms select nothing.
    return [];
  }
}

function readWeighted(
  pod: Pod,
  terms: readonly WeightedPodAffinityTerm[] = [],
): readonly WeightedAffinityTerm[] {
  try {
    return terms.map(({ weight, podAffinityTerm }) => ({
      weight,
      term: readTerm(pod, podAffinityTerm),
    }));
  } catch {
    return [];
  }
}

function readTerm({ metadata }: Pod, term: PodAffinityTerm): AffinityTerm {
  const { namespaces = [], namespaceSelector, topologyKey } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    namespaces: new Set(isOwn ? [metadata.namespace ?? ""] : namespaces),
    namespaceSelector: namespaceSelector ? labelSelector(namespaceSelector) : nothing,
    selector: labelSelector(term.labelSelector),
  };
}
