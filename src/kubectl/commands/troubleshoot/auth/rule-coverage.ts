import type { PolicyRule } from "../../../../api/rbac/v1/policy-rule.ts";

/** A rule with one verb and one resource, or one verb and one URL. */
type Part = Readonly<Record<keyof typeof noPart, readonly string[]>>;

const noPart = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** The parts of some rules that others do not allow. */
export function uncoveredRules(
  owner: readonly PolicyRule[],
  rules: readonly PolicyRule[],
): readonly PolicyRule[] {
  return rules
    .flatMap((rule) => [...partsOf(rule)])
    .filter((part) => !owner.some((rule) => covers(rule, part)))
    .map((part) => ({
      ...Object.fromEntries(Object.entries(part).filter(([, list]) => list.length > 0)),
      verbs: [...part.verbs],
    }));
}

function* partsOf(rule: PolicyRule): Generator<Part> {
  const { apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const verbs = rule.verbs ?? [];
  const names = resourceNames?.length ? resourceNames.map((name) => [name]) : [[]];
  for (const group of apiGroups ?? [])
    for (const resource of resources ?? [])
      for (const verb of verbs)
        for (const name of names)
          yield {
            ...noPart,
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            resourceNames: name,
          };
  for (const url of nonResourceURLs ?? [])
    for (const verb of verbs) yield { ...noPart, nonResourceURLs: [url], verbs: [verb] };
}

function covers(rule: PolicyRule, part: Part): boolean {
  const names = rule.resourceNames ?? [];
  return (
    hasAll(rule.verbs, part.verbs) &&
    hasAll(rule.apiGroups, part.apiGroups) &&
    part.resources.every((resource) => coversResource(rule.resources ?? [], resource)) &&
    part.nonResourceURLs.every((url) =>
      (rule.nonResourceURLs ?? []).some((owner) => coversUrl(owner, url)),
    ) &&
    (names.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => names.includes(name))))
  );
}

const hasAll = (owner: readonly string[] | null | undefined, wanted: readonly string[]): boolean =>
  (owner ?? []).includes("*") || wanted.every((one) => (owner ?? []).includes(one));

/** A subresource may also be meant for all resources: an asterisk before the slash. */
function coversResource(owner: readonly string[], resource: string): boolean {
  if (owner.includes("*") || owner.includes(resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && owner.includes(`*${resource.slice(slash)}`);
}

const coversUrl = (owner: string, url: string): boolean =>
  owner === url || (owner.endsWith("*") && url.startsWith(owner.replace(/\*+$/, "")));
