import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { requiredNodeMatch } from "../../../api/core/v1/scheduling/node-affinity-match.ts";
import { untoleratedTaint } from "../../../api/core/v1/scheduling/taint-toleration.ts";
import type { TopologySpreadConstraint } from "../../../api/core/v1/scheduling/topology-spread.ts";
import {
  formatLabelSelector,
  labelSelector,
  type Selector,
  selectorOf,
} from "../../../schema/selectors/label-selector.ts";
import { countKey, type NodeInfo } from "../../framework/node-info.ts";

type Labels = Readonly<Record<string, string>>;

/** A parsed topology spread constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  /** The key under which a node caches its number of matching pods. */
  readonly countKey: number;
}

export const hostnameLabel = "kubernetes.io/hostname";

/** Parses a constraint of a pod; `selector` replaces its own. */
export function spreadConstraint(
  constraint: TopologySpreadConstraint,
  { metadata }: Pod,
  selector = ownSelector(constraint, metadata.labels ?? {}),
): SpreadConstraint {
  const { maxSkew, topologyKey, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  return {
    maxSkew,
    topologyKey,
    selector,
    minDomains,
    honorsAffinity: nodeAffinityPolicy !== "Ignore",
    honorsTaints: nodeTaintsPolicy === "Honor",
    countKey: countKey(`spread\0${metadata.namespace}\0${formatLabelSelector(selector)}`),
  };
}

/** Counts the pods of a node and namespace that a constraint selects, without terminating ones. */
export function countOn(node: NodeInfo, constraint: SpreadConstraint, namespace: string): number {
  const known = node.counted(constraint.countKey);
  if (known !== undefined) return known;
  const count = countPods(node, constraint, namespace);
  node.remember(constraint.countKey, count);
  return count;
}

function countPods(
  { similarPods }: NodeInfo,
  { selector }: SpreadConstraint,
  namespace: string,
): number {
  if (!selector.selectable || selector.requirements.length === 0) return 0;
  let count = 0;
  for (const { namespace: own, labels, count: alike } of similarPods)
    if (own === namespace && selector.matches(labels)) count += alike;
  return count;
}

/** Whether a node has the topology label of each constraint. */
export function hasAllDomains(labels: Labels, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (labels[topologyKey] === undefined) return false;
  return true;
}

/** Selects the nodes that count for a constraint; undefined if all do. */
export type CountedNodes = ((node: Node) => boolean) | undefined;

/** Excludes nodes by the pod's affinity and tolerations, as far as the constraint honors them. */
export function countedNodes(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { spec }: Pod,
): CountedNodes {
  const isBound = spec.nodeSelector !== undefined || spec.affinity?.nodeAffinity !== undefined;
  const required = honorsAffinity && isBound ? requiredNodeMatch(spec) : undefined;
  if (!required && !honorsTaints) return undefined;
  return (node) =>
    (!required || required(node)) &&
    (!honorsTaints || untoleratedTaint(node.spec.taints, spec.tolerations) === undefined);
}

/** The selector of a constraint with the requirements of matchLabelKeys. */
function ownSelector(
  { labelSelector: object, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Labels,
): Selector {
  const selector = labelSelector(object);
  const shared = matchLabelKeys.filter((key) => labels[key] !== undefined);
  if (shared.length === 0 || !selector.selectable) return selector;
  const values = shared.map(
    (key) => ({ key, operator: "=", values: [labels[key] ?? ""] }) as const,
  );
  return selectorOf([...selector.requirements, ...values]);
}
