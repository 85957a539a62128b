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

/** A constraint, ready to be asked of thousands of nodes. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: Selector;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  /** Under which a node remembers how many of its pods are meant. */
  readonly countKey: number;
}

export const hostnameLabel = "kubernetes.io/hostname";

/** What a constraint of the API means for a pod; its selector is another where one is given. */
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

/** How many pods of a node, in a pod's namespace, a constraint means; those about to go do not count. */
export function countOn(node: NodeInfo, constraint: SpreadConstraint, namespace: string): number {
  const known = node.counted(constraint.countKey);
  if (known !== undefined) return known;
  const count = countPods(node, constraint, namespace);
  node.remember(constraint.countKey, count);
  return count;
}

function countPods(
  { alikePods }: NodeInfo,
  { selector }: SpreadConstraint,
  namespace: string,
): number {
  if (!selector.selectable || selector.requirements.length === 0) return 0;
  let count = 0;
  for (const { namespace: own, labels, count: alike } of alikePods)
    if (own === namespace && selector.matches(labels)) count += alike;
  return count;
}

/** Whether a node has a place for each constraint. */
export function hasAllPlaces(labels: Labels, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (labels[topologyKey] === undefined) return false;
  return true;
}

/** Which nodes count for a constraint; undefined where all do. */
export type CountedNodes = ((node: Node) => boolean) | undefined;

/** Nodes to which a pod could not go anyway do not count, as far as a constraint honors that. */
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

/** The selector of a constraint, and the labels whose values pods must share with this one. */
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
