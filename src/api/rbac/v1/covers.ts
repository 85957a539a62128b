import type { PolicyRule } from "./policy-rule.ts";

/**
 * What of some rules is allowed by none of the owner's, in rules for a single verb of a single
 * resource, object or path each; nothing where the owner may do it all.
 */
export const uncovered = (
  owner: readonly PolicyRule[],
  rules: readonly PolicyRule[],
): readonly PolicyRule[] =>
  rules.flatMap(singleRules).filter((single) => !owner.some((own) => allowsSingle(own, single)));

/** A rule in its smallest parts: none of them is allowed half by one rule and half by another. */
function singleRules(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const singles: PolicyRule[] = [];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) {
        const single = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) singles.push(single);
        for (const name of resourceNames) singles.push({ ...single, resourceNames: [name] });
      }
  for (const path of nonResourceURLs)
    for (const verb of verbs) singles.push({ nonResourceURLs: [path], verbs: [verb] });
  return singles;
}

function allowsSingle(own: PolicyRule, single: PolicyRule): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = own;
  return (
    hasOrAll(own.verbs ?? [], single.verbs) &&
    hasOrAll(apiGroups, single.apiGroups) &&
    (single.resources ?? []).every((resource) => allowsResource(resources, resource)) &&
    allowsName(resourceNames, single.resourceNames) &&
    (single.nonResourceURLs ?? []).every((path) => allowsPath(nonResourceURLs, path))
  );
}

const hasOrAll = (own: readonly string[], wanted: readonly string[] = []): boolean =>
  own.includes("*") || wanted.every((word) => own.includes(word));

/** `*` stands for everything, and `*` before a subresource for that of every resource. */
function allowsResource(own: readonly string[], resource: string): boolean {
  if (own.includes("*") || own.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && own.includes(`*${resource.slice(slash)}`);
}

/** A rule without names is for every object. */
const allowsName = (own: readonly string[], wanted: readonly string[] = []): boolean =>
  own.length === 0 || (wanted.length > 0 && wanted.every((name) => own.includes(name)));

const allowsPath = (own: readonly string[], path: string): boolean =>
  own.some((pattern) => matchesPath(pattern, path));

/** Whether a path is the one of a rule, or begins as it does where stars end it. */
export const matchesPath = (pattern: string, path: string): boolean =>
  pattern === path || (pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, "")));
