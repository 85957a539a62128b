import { list, message, named } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { LabelSelector, validateLabelSelector } from "../../meta/v1/label-selector.ts";
import { namedRuleWithOperations, packageOf } from "./rule.ts";
import { validateNamedRuleWithOperations } from "./rule-validation.ts";

/** What a policy looks at; one for each version, all alike. */
export function matchResources(version: string) {
  const rule = namedRuleWithOperations(version);
  return struct(`${packageOf(version)}.MatchResources`, {
    namespaceSelector: message(1, LabelSelector)
      .default({})
      .doc("Only objects in namespaces with such labels, and those in none."),
    objectSelector: message(2, LabelSelector)
      .default({})
      .doc("Only objects with such labels, before or after the request."),
    resourceRules: list(3, rule).atomic().doc("What is looked at: what any of these means."),
    excludeResourceRules: list(4, rule)
      .atomic()
      .doc("What is not looked at, though a resource rule means it."),
    matchPolicy: named(7, `${version}.MatchPolicyType`)
      .pointer()
      .known("Exact", "Equivalent")
      .default("Equivalent")
      .doc("Whether a request by way of another version of the resource is meant too."),
  })
    .atomic()
    .doc("Which requests a policy looks at.");
}

export const MatchResources = matchResources("v1");
export interface MatchResources extends Infer<typeof MatchResources> {}

export const matchPolicies: readonly string[] = ["Equivalent", "Exact"];

/** The rules of what a policy looks at. */
export function validateMatchResources(match: Partial<MatchResources>, at: At): void {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) at.required("matchPolicy");
  else if (!matchPolicies.includes(matchPolicy))
    at.notSupported("matchPolicy", matchPolicy, matchPolicies);
  if (!namespaceSelector) at.required("namespaceSelector");
  else validateLabelSelector(namespaceSelector, at.child("namespaceSelector"));
  if (!objectSelector) at.required("objectSelector");
  else validateLabelSelector(objectSelector, at.child("objectSelector"));
  for (const field of ["resourceRules", "excludeResourceRules"] as const)
    for (const [i, rule] of (match[field] ?? []).entries())
      validateNamedRuleWithOperations(rule, at.child(field).index(i));
}
