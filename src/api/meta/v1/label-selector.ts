import { list, named, string, stringMap, strings } from "../../../schema/language/field.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isQualifiedName, isValidLabelValue } from "../../../schema/values/names.ts";
import { validateLabels } from "./object-meta-validation.ts";
import { semanticEqual } from "./semantic-equal.ts";

export const LabelSelectorRequirement = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
  {
    key: string(1).always().expected().doc("The label that is looked at."),
    operator: named(2, "v1.LabelSelectorOperator")
      .always()
      .expected()
      .known("In", "NotIn", "Exists", "DoesNotExist")
      .doc("How the label relates to the values."),
    values: strings(3)
      .atomic()
      .doc("At least one for In and NotIn; none for Exists and DoesNotExist."),
  },
).doc("One condition on the labels of an object.");
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirement> {}

export const LabelSelector = struct("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", {
  matchLabels: stringMap(1).doc("Labels that an object must have with just these values."),
  matchExpressions: list(2, LabelSelectorRequirement)
    .atomic()
    .doc("Conditions that an object's labels must meet, all of them."),
})
  .atomic()
  .doc("Selects objects by their labels; an empty selector selects all of them.");
export interface LabelSelector extends Infer<typeof LabelSelector> {}

export interface LabelSelectorOptions {
  /** Values that are no label values pass: the stored object had such already. */
  readonly allowInvalidValues?: boolean | undefined;
  /** An operator that is not known passes. */
  readonly allowUnknownOperator?: boolean | undefined;
}

/** The rules of a label selector; there is nothing wrong with none. */
export function validateLabelSelector(
  selector: LabelSelector | undefined,
  at: At,
  options: LabelSelectorOptions = {},
): void {
  if (!selector) return;
  validateLabels(selector.matchLabels, at.child("matchLabels"));
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries())
    validateLabelSelectorRequirement(requirement, at.child("matchExpressions").index(i), options);
}

/** The rules of one condition of a label selector. */
export function validateLabelSelectorRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  at: At,
  { allowInvalidValues, allowUnknownOperator }: LabelSelectorOptions,
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      at.required("values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      at.forbidden("values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (!allowUnknownOperator)
    at.invalid("operator", operator, "not a valid selector operator");
  validateLabelName(key, at.child("key"));
  if (allowInvalidValues) return;
  for (const [i, value] of values.entries())
    at.child("values").index(i).invalidEach("", value, isValidLabelValue(value));
}

/** The key of a label: a qualified name. */
export function validateLabelName(name: string, at: At): void {
  at.invalidEach("", name, isQualifiedName(name));
}

/** Whether a condition names a value that no label can have. */
export const hasInvalidLabelValue = (selector: LabelSelector | undefined): boolean =>
  (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => isValidLabelValue(value).length > 0),
  );

/** Whether a selector selects by nothing at all. */
export const isEmptyLabelSelector = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

/** Whether two selectors are the same: both absent, or alike; an empty map is none. */
export const sameSelector = (
  a: LabelSelector | null | undefined,
  b: LabelSelector | null | undefined,
): boolean => (a && b ? semanticEqual(LabelSelector, a, b) : !a === !b);

/** A selector as errors show it: without what is empty. */
export const shownSelector = (selector: unknown): unknown =>
  selector ? canonicalise(LabelSelector, selector) : null;

/** A selector as Go prints it, which is what messages show. */
export function labelSelectorText({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
