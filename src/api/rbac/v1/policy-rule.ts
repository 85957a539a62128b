import { strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const PolicyRule = struct("io.k8s.api.rbac.v1.PolicyRule", {
  verbs: strings(1).always().expected().atomic().doc("What may be done; * is everything."),
  apiGroups: strings(2)
    .atomic()
    .doc('Groups of the resources; "" is the core group, * is every group.'),
  resources: strings(3).atomic().doc("Resources, and resource/subresource; * is every resource."),
  resourceNames: strings(4).atomic().doc("Names of objects; without any, all objects are meant."),
  nonResourceURLs: strings(5)
    .atomic()
    .doc("Paths that are no resources; a * may stand at the end. In cluster roles only."),
})
  .validatedElsewhere()
  .doc("Something that may be done, and to what.");
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/** The rules of the rules of a role. */
export function validatePolicyRules(
  rules: readonly PolicyRule[] | null | undefined,
  at: At,
  { namespaced }: { readonly namespaced: boolean },
): void {
  for (const [i, rule] of (rules ?? []).entries())
    validatePolicyRule(rule, at.index(i), namespaced);
}

function validatePolicyRule(rule: PolicyRule, at: At, namespaced: boolean): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (isNone(rule.verbs)) at.required("verbs", "verbs must contain at least one value");
  if (nonResourceURLs.length > 0) {
    if (namespaced)
      at.invalid(
        "nonResourceURLs",
        nonResourceURLs,
        "namespaced rules cannot apply to non-resource URLs",
      );
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      at.invalid(
        "nonResourceURLs",
        nonResourceURLs,
        "rules cannot apply to both regular resources and non-resource URLs",
      );
    return;
  }
  if (apiGroups.length === 0)
    at.required("apiGroups", "resource rules must supply at least one api group");
  if (resources.length === 0)
    at.required("resources", "resource rules must supply at least one resource");
}

const isNone = (list: readonly string[] | null | undefined): boolean => (list ?? []).length === 0;
