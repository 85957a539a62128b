import type { At } from "../../../../schema/language/report.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import type { ResourceList } from "../resource-list.ts";
import {
  isStandardResource,
  validateResourceName,
  validateResourceQuantity,
} from "../resource-name.ts";
import {
  type ResourceQuotaSpec,
  type ResourceQuotaStatus,
  resourceQuotaScopes,
  type ScopedResourceSelectorRequirement,
} from "./resource-quota-spec.ts";

export function validateResourceQuotaSpec(spec: ResourceQuotaSpec, at: At): void {
  validateAmounts(spec.hard ?? {}, at.child("hard"));
  validateScopes(spec, at);
  validateScopeSelector(spec, at.child("scopeSelector").child("matchExpressions"));
}

export function validateResourceQuotaStatus(
  { hard = {}, used = {} }: ResourceQuotaStatus,
  at: At,
): void {
  validateAmounts(hard, at.child("hard"));
  validateAmounts(used, at.child("used"));
}

/** Whether two lists name the same scopes, in any order. */
export function sameScopes(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): boolean {
  const [one, other] = [new Set(a), new Set(b)];
  return one.size === other.size && [...one].every((scope) => other.has(scope));
}

function validateAmounts(amounts: ResourceList, at: At): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const here = at.key(name);
    validateResourceName(name, here);
    if (!name.includes("/") && !isQuotaResource(name))
      here.invalid("", name, "must be a standard resource for quota");
    validateResourceQuantity(name, amount, here);
  }
}

/** Of the known resources only plain storage has no quota. */
const isQuotaResource = (name: string): boolean => isStandardResource(name) && name !== "storage";

function validateScopes({ hard = {}, scopes = [] }: ResourceQuotaSpec, at: At): void {
  for (const scope of scopes) {
    if (!isScope(scope)) at.invalid("scopes", scopes, "unsupported scope");
    for (const name of sortedKeys(hard))
      if (!appliesTo(scope, name))
        at.invalid("scopes", scopes, "unsupported scope applied to resource");
  }
  for (let n = conflicts(scopes); n > 0; n--) at.invalid("scopes", scopes, "conflicting scopes");
}

function validateScopeSelector(spec: ResourceQuotaSpec, at: At): void {
  const { hard = {}, scopes = null, scopeSelector } = spec;
  const requirements = scopeSelector?.matchExpressions ?? [];
  for (const requirement of requirements) {
    const { scopeName } = requirement;
    if (!isScope(scopeName)) at.invalid("scopeName", scopeName, "unsupported scope");
    for (const name of sortedKeys(hard))
      if (!appliesTo(scopeName, name))
        at.invalid("", shownRequirements(requirements), "unsupported scope applied to resource");
    validateOperator(requirement, at);
  }
  for (let n = conflicts(requirements.map(({ scopeName }) => scopeName)); n > 0; n--)
    at.invalid("", scopes, "conflicting scopes");
}

const mustExist = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];

function validateOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  at: At,
): void {
  if (mustExist.includes(scopeName) && operator !== "Exists")
    at.invalid(
      "operator",
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      at.required(
        "values",
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      );
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      at.invalid(
        "values",
        values,
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
  } else at.invalid("operator", operator, "not a valid selector operator");
}

/** A selector as upstream holds it in memory, and shows it. */
const shownRequirements = (requirements: readonly ScopedResourceSelectorRequirement[]): object => ({
  MatchExpressions: requirements.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  })),
});

const isScope = (scope: string): boolean => resourceQuotaScopes.includes(scope as never);

const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];
const conflicts = (scopes: readonly string[]): number =>
  opposites.filter((pair) => pair.every((scope) => scopes.includes(scope))).length;

const podResources = ["cpu", "memory"].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

/** Whether a resource can be counted in a scope; those that are not quota's own always can. */
function appliesTo(scope: string, name: string): boolean {
  if (!isQuotaResource(name)) return true;
  switch (scope) {
    case "Terminating":
    case "NotTerminating":
    case "NotBestEffort":
    case "PriorityClass":
    case "CrossNamespacePodAffinity":
      return name === "pods" || podResources.includes(name);
    case "BestEffort":
      return name === "pods";
    case "VolumeAttributesClass":
      return name === "persistentvolumeclaims" || name === "requests.storage";
    default:
      return true;
  }
}
