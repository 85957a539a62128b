import type { At } from "../../../schema/language/report.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import type { NamedRuleWithOperations, RuleWithOperations } from "./rule.ts";

const scopes = ["*", "Cluster", "Namespaced"];
const operationTypes = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
/** Deletions cannot be mutated. */
const mutatingOperationTypes = ["*", "CONNECT", "CREATE", "UPDATE"];

/** The rules of a rule: "*" stands alone, and nothing is empty but the core group. */
export function validateRuleWithOperations(rule: RuleWithOperations, at: At): void {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  validateWildcard(operations, at.child("operations"), "operations");
  for (const [i, operation] of operations.entries())
    if (!operationTypes.includes(operation))
      at.child("operations").index(i).notSupported("", operation, operationTypes);
  validateWildcard(apiGroups, at.child("apiGroups"), "API groups");
  validateWildcard(apiVersions, at.child("apiVersions"), "API versions");
  for (const [i, version] of apiVersions.entries())
    if (version === "") at.child("apiVersions").index(i).required();
  validateResources(resources, at.child("resources"));
  if (scope !== undefined && !scopes.includes(scope)) at.notSupported("scope", scope, scopes);
}

/** As those of a rule; names are such as can stand in a path, each once. */
export function validateNamedRuleWithOperations(rule: NamedRuleWithOperations, at: At): void {
  const seen = new Set<string>();
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    const here = at.child("resourceNames").index(i);
    here.invalidEach("", name, pathSegmentName(name));
    if (seen.has(name)) here.duplicate("", name);
    seen.add(name);
  }
  validateRuleWithOperations(rule, at);
}

/** Whether all operations can be mutated; the error does not say which rule it is about. */
export function validateMutatingOperations(
  rules: readonly NamedRuleWithOperations[] | undefined,
  at: At,
): void {
  for (const { operations = [] } of rules ?? [])
    for (const operation of operations)
      if (!mutatingOperationTypes.includes(operation))
        at.notSupported("resourceRules.operations", operation, mutatingOperationTypes);
}

function validateWildcard(values: readonly string[], at: At, what: string): void {
  if (values.length === 0) at.required();
  if (values.length > 1 && values.includes("*"))
    at.invalid("", values, `if '*' is present, must not specify other ${what}`);
}

function validateResources(resources: readonly string[], at: At): void {
  if (resources.length === 0) at.required();
  for (const [i, resource] of resources.entries()) {
    if (resource === "") at.index(i).required();
    else if (resource.includes("/"))
      for (const wider of widerThan(resource, resources.slice(0, i)))
        at.index(i).invalid("", resource, `if '${wider}' is present, must not specify ${resource}`);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    at.invalid("", resources, "if '*/*' is present, must not specify other resources");
  // Of those without a subresource, upstream looks at the last alone.
  const plain = resources.findLast((resource) => resource !== "" && !resource.includes("/"));
  if (resources.includes("*") && plain !== "*")
    at.invalid(
      "",
      resources,
      "if '*' is present, must not specify other resources without subresources",
    );
}

/** What says the same of more, among the resources that stand before one with a subresource. */
function widerThan(resource: string, before: readonly string[]): readonly string[] {
  const slash = resource.indexOf("/");
  const candidates = [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`];
  return candidates.filter((candidate) => before.includes(candidate));
}
