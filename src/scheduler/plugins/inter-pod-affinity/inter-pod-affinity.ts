import { Namespace } from "../../../api/core/v1/namespace.ts";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { nothing } from "../../../schema/selectors/label-selector.ts";
import type { InterPodAffinityArgs } from "../../configuration/plugin-args.ts";
import { type AffinityTerm, affinityTerms } from "../../framework/affinity-term.ts";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import { skip } from "../../framework/status.ts";
import { AffinityCounts, allMatch } from "./affinity-counts.ts";
import {
  type DomainWeights,
  domainWeight,
  domainWeights,
  normalizeDomainWeights,
} from "./affinity-preferences.ts";

const counts = stateKey<AffinityCounts>("PreFilterInterPodAffinity");
const weights = stateKey<DomainWeights>("PreScoreInterPodAffinity");

/** Schedules pods near others or away from them, by the affinity terms of both. */
export const interPodAffinity: PluginFactory = (args, { snapshot, informer }) => {
  const {
    hardPodAffinityWeight: hardWeight = 1,
    ignorePreferredTermsOfExistingPods: ignoresOthers,
  } = (args ?? {}) as InterPodAffinityArgs;
  const namespaces = informer(Namespace);
  const labelsOf = (namespace: string) => namespaces.get({ name: namespace })?.metadata.labels;
  /** Resolves the namespace selector of a term to names. */
  const named = (term: AffinityTerm): AffinityTerm => {
    const { namespaceSelector, namespaces: names } = term;
    // A selector without requirements matches all namespaces and needs no names.
    if (!namespaceSelector.selectable || namespaceSelector.requirements.length === 0) return term;
    const meant = namespaces
      .list()
      .filter(({ metadata }) => namespaceSelector.matches(metadata.labels))
      .map(({ metadata }) => metadata.name ?? "");
    return { ...term, namespaces: new Set([...names, ...meant]), namespaceSelector: nothing };
  };
  return {
    name: "InterPodAffinity",
    preFilter(state, pod, nodes) {
      const terms = {
        required: pod.terms.required.map(named),
        requiredAnti: pod.terms.requiredAnti.map(named),
      };
      const namespaceLabels = labelsOf(pod.namespace);
      const counted = new AffinityCounts(pod, { terms, namespaceLabels });
      for (const node of snapshot.nodesWithRequiredAntiAffinity) counted.countUnwanted(node);
      if (terms.required.length > 0 || terms.requiredAnti.length > 0)
        for (const node of nodes) counted.countOwn(node);
      if (counted.isIdle) return skip;
      state.write(counts, counted);
      return undefined;
    },
    addPod(state, _, { other, node }) {
      state.read(counts)?.follow(other, node, 1);
      return undefined;
    },
    removePod(state, _, { other, node }) {
      state.read(counts)?.follow(other, node, -1);
      return undefined;
    },
    filter: (state, _, node) => state.read(counts)?.check(node),
    preScore(state, pod) {
      const { preferred, preferredAnti } = pod.terms;
      const hasOwn = preferred.length > 0 || preferredAnti.length > 0;
      if (!hasOwn && (ignoresOthers || snapshot.nodesWithAffinity.length === 0)) return skip;
      const weighed = domainWeights(
        pod,
        {
          preferred: preferred.map(({ term, weight }) => ({ term: named(term), weight })),
          preferredAnti: preferredAnti.map(({ term, weight }) => ({ term: named(term), weight })),
          namespaceLabels: labelsOf(pod.namespace),
          hardWeight,
        },
        hasOwn ? snapshot.nodes : snapshot.nodesWithAffinity,
      );
      if (weighed.size === 0) return skip;
      state.write(weights, weighed);
      return undefined;
    },
    score: (state, _, node) => domainWeight(node, state.read(weights) ?? new Map()),
    normalizeScore: (_, _pod, scores) => normalizeDomainWeights(scores),
    eventsToRegister: () => [
      {
        event: {
          resource: podResource,
          action: actions.add | actions.updatePodLabel | actions.delete,
        },
        hint: (pod, { old, now }) =>
          helpsIfPodChanges(pod, old as Pod | undefined, now as Pod | undefined)
            ? "Queue"
            : "QueueSkip",
      },
      {
        event: { resource: nodeResource, action: actions.add | actions.updateNodeLabel },
        hint: (pod, { old, now }) =>
          helpsIfNodeChanges(pod, old as Node | undefined, now as Node) ? "Queue" : "QueueSkip",
      },
    ],
  };
};

function helpsIfPodChanges(pod: Pod, old: Pod | undefined, now: Pod | undefined): boolean {
  if (old && now && now.metadata.uid === pod.metadata.uid) return true;
  const isNowhere = (one: Pod | undefined): boolean =>
    one !== undefined && !one.spec.nodeName && !one.status.nominatedNodeName;
  if (isNowhere(now) || isNowhere(old)) return false;
  const { required, requiredAnti } = affinityTerms(pod);
  const isNear = (one: Pod | undefined): boolean =>
    one !== undefined && allMatch(required, { pod: one });
  const isApart = (one: Pod | undefined): boolean =>
    one !== undefined && allMatch(requiredAnti, { pod: one });
  if (!isNear(old) && isNear(now)) return true;
  if (isApart(old) && !isApart(now)) return true;
  return old !== undefined && !now && allMatch(affinityTerms(old).requiredAnti, { pod });
}

function helpsIfNodeChanges(pod: Pod, old: Node | undefined, now: Node): boolean {
  const { required, requiredAnti } = affinityTerms(pod);
  const place = (node: Node | undefined, { topologyKey }: AffinityTerm) =>
    node?.metadata.labels?.[topologyKey];
  const comesToNear = required.some((term) => {
    const there = place(now, term);
    return there !== undefined && there !== place(old, term);
  });
  if (comesToNear) return true;
  return requiredAnti.some((term) => {
    if (!old) return true;
    const before = place(old, term);
    return before !== undefined && before !== place(now, term);
  });
}
