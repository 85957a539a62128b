import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { TopologySpreadConstraint } from "../../../api/core/v1/scheduling/topology-spread.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import type { PodTopologySpreadArgs } from "../../configuration/plugin-args.ts";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import { skip } from "../../framework/status.ts";
import { defaultSelectors } from "./default-selector.ts";
import { DomainTotals } from "./domain-totals.ts";
import {
  hasAllDomains,
  hostnameLabel,
  type SpreadConstraint,
  spreadConstraint,
} from "./spread-constraint.ts";
import { SpreadCounts } from "./spread-filter.ts";
import {
  normalizeSpread,
  type SpreadPreferences,
  spreadPreferences,
  spreadScore,
} from "./spread-score.ts";

const counts = stateKey<SpreadCounts>("PreFilterPodTopologySpread");
const preferences = stateKey<SpreadPreferences>("PreScorePodTopologySpread");

/** The system default constraints for pods without any. */
const systemConstraints: readonly TopologySpreadConstraint[] = [
  { topologyKey: hostnameLabel, whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

/** Spreads pods evenly over topology domains, by their constraints. */
export const podTopologySpread: PluginFactory = (args, handle) => {
  const { defaultingType, defaultConstraints = [] } = (args ?? {}) as PodTopologySpreadArgs;
  const isSystem = defaultingType !== "List";
  const usual = isSystem ? systemConstraints : defaultConstraints;
  const selectorOf = usual.length > 0 ? defaultSelectors(handle) : undefined;

  const totals = new DomainTotals();

  const constraintsOf = (pod: Pod, action: string): readonly SpreadConstraint[] => {
    const own = pod.spec.topologySpreadConstraints ?? [];
    const meant = ({ whenUnsatisfiable }: TopologySpreadConstraint) => whenUnsatisfiable === action;
    if (own.length > 0) return own.filter(meant).map((one) => spreadConstraint(one, pod));
    const defaults = usual.filter(meant);
    if (defaults.length === 0 || !selectorOf) return [];
    const selector = selectorOf(pod);
    if (selector.requirements.length === 0) return [];
    return defaults.map((one) => spreadConstraint(one, pod, selector));
  };
  const required = (pod: Pod) => constraintsOf(pod, "DoNotSchedule");

  return {
    name: "PodTopologySpread",
    preFilter(state, pod, nodes) {
      const constraints = required(pod.pod);
      if (constraints.length === 0) return skip;
      state.write(counts, new SpreadCounts(pod, constraints).count(nodes));
      return undefined;
    },
    addPod(state, _, change) {
      state.read(counts)?.follow(change, 1);
      return undefined;
    },
    removePod(state, _, change) {
      state.read(counts)?.follow(change, -1);
      return undefined;
    },
    filter: (state, _, node) => state.read(counts)?.check(node),
    preScore(state, pod, feasible) {
      const constraints = constraintsOf(pod.pod, "ScheduleAnyway");
      if (constraints.length === 0) return skip;
      const hasOwn = (pod.pod.spec.topologySpreadConstraints ?? []).length > 0;
      const all = handle.snapshot.nodes;
      const scope = { all, feasible, requiresAllDomains: hasOwn || !isSystem, totals };
      state.write(preferences, spreadPreferences(pod, constraints, scope));
      return undefined;
    },
    score(state, { namespace }, node) {
      const preferred = state.read(preferences);
      return preferred ? spreadScore(node, preferred, namespace) : 0;
    },
    normalizeScore(state, _, scores) {
      normalizeSpread(scores, state.read(preferences)?.ignored ?? new Set());
    },
    eventsToRegister: () => [
      {
        event: {
          resource: podResource,
          action:
            actions.add | actions.updatePodLabel | actions.updatePodToleration | actions.delete,
        },
        hint: (pod, { old, now }) =>
          helpsIfPodChanges(pod, { old: old as Pod, now: now as Pod }, required)
            ? "Queue"
            : "QueueSkip",
      },
      {
        event: {
          resource: nodeResource,
          action: actions.add | actions.delete | actions.updateNodeLabel | actions.updateNodeTaint,
        },
        hint: (pod, { old, now }) =>
          helpsIfNodeChanges(required(pod), { old: old as Node, now: now as Node })
            ? "Queue"
            : "QueueSkip",
      },
    ],
  };
};

interface Change<O> {
  readonly old: O | undefined;
  readonly now: O | undefined;
}

function helpsIfPodChanges(
  pod: Pod,
  { old, now }: Change<Pod>,
  required: (pod: Pod) => readonly SpreadConstraint[],
): boolean {
  const concerns = (other: Pod): boolean =>
    other.metadata.uid === pod.metadata.uid ||
    (Boolean(other.spec.nodeName || other.status.nominatedNodeName) &&
      other.metadata.namespace === pod.metadata.namespace);
  if ((now && !concerns(now)) || (old && !concerns(old))) return false;
  const constraints = required(pod);
  const means = ({ selector }: SpreadConstraint, other: Pod): boolean =>
    selector.matches(other.metadata.labels);
  if (old && now) {
    const isItself = now.metadata.uid === pod.metadata.uid;
    const hasNewTolerations = !sameJson(now.spec.tolerations ?? [], old.spec.tolerations ?? []);
    if (isItself && hasNewTolerations && constraints.some(({ honorsTaints }) => honorsTaints))
      return true;
    return constraints.some((one) => means(one, old) !== means(one, now));
  }
  const one = now ?? old;
  return one !== undefined && constraints.some((constraint) => means(constraint, one));
}

function helpsIfNodeChanges(
  constraints: readonly SpreadConstraint[],
  { old, now }: Change<Node>,
): boolean {
  const hasPlaces = (node: Node | undefined): boolean =>
    node !== undefined && hasAllDomains(node.metadata.labels ?? {}, constraints);
  if (!old || !now) return hasPlaces(old ?? now);
  if (hasPlaces(old) !== hasPlaces(now)) return true;
  if (!hasPlaces(now)) return false;
  const placeOf = ({ metadata }: Node, key: string) => metadata.labels?.[key];
  return (
    constraints.some(({ topologyKey: key }) => placeOf(old, key) !== placeOf(now, key)) ||
    !sameJson(old.spec.taints ?? [], now.spec.taints ?? [])
  );
}
