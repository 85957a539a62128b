import type { At } from "../../../../schema/language/report.ts";
import { isValidLabelValue, nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { validateLabelName } from "../../../meta/v1/label-selector.ts";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "./node-selector.ts";

export interface NodeSelectorOptions {
  /** Values that are no label values pass. */
  readonly allowInvalidValues?: boolean | undefined;
}

/** The rules of a node selector. */
export function validateNodeSelector(
  { nodeSelectorTerms }: NodeSelector,
  at: At,
  options: NodeSelectorOptions = {},
): void {
  const here = at.child("nodeSelectorTerms");
  if (!nodeSelectorTerms?.length) {
    here.required("", "must have at least one node selector term");
    return;
  }
  for (const [i, term] of nodeSelectorTerms.entries())
    validateNodeSelectorTerm(term, here.index(i), options);
}

/** The rules of one term: conditions on labels, then those on fields. */
export function validateNodeSelectorTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  at: At,
  options: NodeSelectorOptions = {},
): void {
  for (const [i, requirement] of matchExpressions.entries())
    validateExpression(requirement, at.child("matchExpressions").index(i), options);
  for (const [i, requirement] of matchFields.entries())
    validateFieldRequirement(requirement, at.child("matchFields").index(i));
}

function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  at: At,
  { allowInvalidValues }: NodeSelectorOptions,
): void {
  validateCount(operator, values.length, at);
  validateLabelName(key, at.child("key"));
  if (allowInvalidValues) return;
  for (const [i, value] of values.entries())
    at.child("values").index(i).invalidEach("", value, isValidLabelValue(value));
}

function validateCount(operator: string, count: number, at: At): void {
  switch (operator) {
    case "In":
    case "NotIn":
      if (count === 0)
        at.required("values", "must be specified when `operator` is 'In' or 'NotIn'");
      return;
    case "Exists":
    case "DoesNotExist":
      if (count > 0)
        at.forbidden(
          "values",
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
      return;
    case "Gt":
    case "Lt":
      if (count !== 1)
        at.required("values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
      return;
    default:
      at.invalid("operator", operator, "not a valid selector operator");
  }
}

/** The name is the only field of a node that can be selected on. */
function validateFieldRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  at: At,
): void {
  if (operator !== "In" && operator !== "NotIn")
    at.invalid("operator", operator, "not a valid selector operator");
  else if (values.length !== 1)
    at.required(
      "values",
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  if (key !== "metadata.name") {
    at.invalid("key", key, "not a valid field selector key");
    return;
  }
  for (const [i, value] of values.entries())
    at.child("values").index(i).invalidEach("", value, nameIsDnsSubdomain(value));
}
