import type { FieldRequirement } from "../../../schema/selectors/field-selector.ts";
import type { LabelRequirement } from "../../../schema/selectors/label-selector-requirement.ts";
import type { Attributes } from "../attributes.ts";

/** The spec of a SubjectAccessReview of v1 about a request; what is empty is left out. */
export interface AccessReviewSpec {
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: { readonly path: string; readonly verb: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly uid?: string;
}

/** A condition of a selector, as reviews have it. */
interface ReviewedRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The review of a request. */
export function accessReviewSpec(attributes: Attributes): AccessReviewSpec {
  const { user, isResource, path, verb } = attributes;
  const { name, uid = "", groups, extra } = user;
  return {
    ...(isResource
      ? { resourceAttributes: reviewedResource(attributes) }
      : { nonResourceAttributes: { path, verb } }),
    ...(name !== "" && { user: name }),
    ...(groups.length > 0 && { groups }),
    ...(extra && Object.keys(extra).length > 0 && { extra }),
    ...(uid !== "" && { uid }),
  };
}

function reviewedResource(attributes: Attributes): Readonly<Record<string, unknown>> {
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const texts = { namespace, verb, group, version, resource, subresource, name };
  const fields = (attributes.fieldSelector?.requirements ?? []).map(reviewedField);
  const labels = (attributes.labelSelector?.requirements ?? []).flatMap(reviewedLabel);
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

const reviewedField = ({ field, operator, value }: FieldRequirement): ReviewedRequirement => ({
  key: field,
  operator: operator === "=" ? "In" : "NotIn",
  values: [value],
});

const labelOperators: Readonly<Record<string, string>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Comparisons of numbers have no form in reviews: leaving them out asks for more rights, which is safe. */
function reviewedLabel({ key, operator, values }: LabelRequirement): ReviewedRequirement[] {
  const reviewed = labelOperators[operator];
  if (reviewed === undefined) return [];
  return [{ key, operator: reviewed, ...(values.length > 0 && { values }) }];
}

/** The same review as v1beta1 has it. */
export function earlyReviewSpec({ groups, ...spec }: AccessReviewSpec): object {
  return { ...spec, ...(groups && { group: groups }) };
}

/** Requests whose caller makes them longer than this are not cached, so that nobody fills the memory. */
const mostCachedSize = 10_000;

export function isCacheable(attributes: Attributes): boolean {
  const { namespace, verb, group, version, resource, subresource, name, path } = attributes;
  const texts = [namespace, verb, group, version, resource, subresource, name, path];
  return texts.reduce((size, text) => size + text.length, 0) < mostCachedSize;
}
