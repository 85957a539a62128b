import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type {
  PodAffinityTerm,
  WeightedPodAffinityTerm,
} from "../../api/core/v1/scheduling/affinity.ts";
import { labelSelector, nothing, type Selector } from "../../schema/selectors/label-selector.ts";

type Labels = Readonly<Record<string, string>>;

/** Pods that another one is to be near to, or away from, and the kind of place that counts as near. */
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

/** What a pod says of other pods; empty where it says nothing, or what nobody understands. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedAffinityTerm[];
  readonly preferredAnti: readonly WeightedAffinityTerm[];
}

/** Reads the terms of a pod once, so that they can be asked of thousands of others. */
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

/** Whether a term means a pod; `namespaceLabels` are those of the pod's namespace. */
export function termMeans(
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
    // Servers let selectors pass that cannot be read: such terms count for nothing.
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
