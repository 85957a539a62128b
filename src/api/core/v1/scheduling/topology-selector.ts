import { list, string, strings } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { validateLabelName } from "../../../meta/v1/label-selector.ts";

export const TopologySelectorLabelRequirement = struct(
  "io.k8s.api.core.v1.TopologySelectorLabelRequirement",
  {
    key: string(1).always().expected().doc("The label that is looked at."),
    values: strings(2).always().expected().atomic().doc("The values of which the label has one."),
  },
).doc("One condition on the labels of a place.");
export interface TopologySelectorLabelRequirement
  extends Infer<typeof TopologySelectorLabelRequirement> {}

export const TopologySelectorTerm = struct("io.k8s.api.core.v1.TopologySelectorTerm", {
  matchLabelExpressions: list(1, TopologySelectorLabelRequirement)
    .atomic()
    .doc("Conditions on labels, all of which must be met."),
})
  .atomic()
  .doc("Selects places, such as zones, by their labels; an empty term selects all of them.");
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTerm> {}

/** The values that a term asks for, by label. */
export type TopologyValues = ReadonlyMap<string, ReadonlySet<string>>;

/** The rules of a term; gives what it asks for. */
export function validateTopologySelectorTerm(term: TopologySelectorTerm, at: At): TopologyValues {
  const asked = new Map<string, ReadonlySet<string>>();
  for (const [i, requirement] of (term.matchLabelExpressions ?? []).entries()) {
    const here = at.child("matchLabelExpressions").index(i);
    const values = validateRequirement(requirement, here);
    if (asked.has(requirement.key)) here.duplicate("key", requirement.key);
    asked.set(requirement.key, values);
  }
  return asked;
}

function validateRequirement(
  { key, values }: TopologySelectorLabelRequirement,
  at: At,
): ReadonlySet<string> {
  const seen = new Set<string>();
  if (!values?.length) at.required("values");
  for (const [i, value] of (values ?? []).entries()) {
    if (seen.has(value)) at.child("values").index(i).duplicate("", value);
    seen.add(value);
  }
  validateLabelName(key, at.child("key"));
  return seen;
}
