import { selectorFromSet, selectorOf } from "../../../../schema/selectors/label-selector.ts";
import type { LabelOperator } from "../../../../schema/selectors/label-selector-requirement.ts";
import { labelRequirement } from "../../../../schema/selectors/label-selector-requirement.ts";
import type { Node } from "../node/node.ts";
import type { PodSpec } from "../pod/pod-spec.ts";
import type { PreferredSchedulingTerm } from "./affinity.ts";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "./node-selector.ts";

type NodeNames = Pick<Node, "metadata">;

/** Whether a node is meant. */
export type NodeMatch = (node: NodeNames) => boolean;

/** Whether a pod may go to a node, as its node selector and its required node affinity have it. */
export function requiredNodeMatch(spec: PodSpec): NodeMatch {
  const { nodeSelector = {}, affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const labels = selectorFromSet(nodeSelector);
  const term = required && nodeSelectorMatch(required);
  return (node) => labels.matches(node.metadata.labels) && (!term || term(node));
}

/** Whether a node meets one of the terms; one that is empty, or cannot be read, is met by none. */
export function nodeSelectorMatch({ nodeSelectorTerms }: NodeSelector): NodeMatch {
  const terms = (nodeSelectorTerms ?? []).map(readable).filter((term) => term !== undefined);
  return (node) => terms.some((term) => term(node));
}

/** How much a node is preferred: the weights of all terms that it meets. Throws for what cannot be read. */
export function preferredNodeWeight(
  terms: readonly PreferredSchedulingTerm[],
): (node: NodeNames) => number {
  const read = terms
    .filter(({ weight, preference }) => weight !== 0 && !isEmpty(preference))
    .map(({ weight, preference }) => ({ weight, meets: termMatch(preference) }));
  return (node) => {
    let sum = 0;
    for (const { weight, meets } of read) if (meets(node)) sum += weight;
    return sum;
  };
}

function readable(term: NodeSelectorTerm): NodeMatch | undefined {
  if (isEmpty(term)) return undefined;
  try {
    return termMatch(term);
  } catch {
    return undefined;
  }
}

const isEmpty = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.length === 0 && matchFields.length === 0;

function termMatch({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeMatch {
  const labels = selectorOf(
    matchExpressions.map(({ key, operator, values = [] }) =>
      labelRequirement(key, operatorOf(operator), values),
    ),
  );
  const fields = matchFields.map(fieldMatch);
  return (node) =>
    labels.matches(node.metadata.labels) && fields.every((field) => field(node.metadata));
}

function fieldMatch({ key, operator, values = [] }: NodeSelectorRequirement) {
  if (values.length !== 1 || (operator !== "In" && operator !== "NotIn"))
    throw new SyntaxError(`a condition on the field ${key} must have one value`);
  const [wanted = ""] = values;
  return ({ name = "" }: NodeNames["metadata"]): boolean =>
    ((key === "metadata.name" ? name : "") === wanted) === (operator === "In");
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

function operatorOf(name: string): LabelOperator {
  const operator = operators.get(name);
  if (!operator) throw new SyntaxError(`${name} is no operator of a node selector`);
  return operator;
}
