import type { Attributes } from "../authorization/attributes.ts";
import type { User } from "../request/identity.ts";
import type {
  AuditLevel,
  AuditPolicy,
  AuditStage,
  GroupResources,
  PolicyRule,
} from "./audit-policy.ts";

/** How a request is audited. */
export interface AuditExtent {
  readonly level: AuditLevel;
  /** The stages that have no event. */
  readonly omitStages: ReadonlySet<AuditStage>;
  /** Whether objects are written without their managed fields. */
  readonly omitManagedFields: boolean;
}

/** What of a request decides how it is audited; one that was not authenticated has no user. */
export type AuditedAttributes = Omit<Attributes, "user"> & { readonly user?: User | undefined };

/** Makes a valid policy a function: the first rule that matches counts, and without one nothing is audited. */
export function auditRules(policy: AuditPolicy): (attributes: AuditedAttributes) => AuditExtent {
  const rules = (policy.rules ?? []).map((rule) => ({ rule, extent: extentOf(policy, rule) }));
  const otherwise = extentOf(policy, { level: "None" });
  return (attributes) =>
    rules.find(({ rule }) => ruleMatches(rule, attributes))?.extent ?? otherwise;
}

const extentOf = (policy: AuditPolicy, rule: PolicyRule): AuditExtent => ({
  level: rule.level as AuditLevel,
  omitStages: new Set([
    ...(policy.omitStages ?? []),
    ...(rule.omitStages ?? []),
  ]) as ReadonlySet<AuditStage>,
  omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
});

function ruleMatches(rule: PolicyRule, attributes: AuditedAttributes): boolean {
  const { users = [], userGroups = [], verbs = [] } = rule;
  const { resources = [], namespaces = [], nonResourceURLs: urls = [] } = rule;
  const { user, verb, isResource, path } = attributes;
  if (users.length > 0 && !(user && users.includes(user.name))) return false;
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group)))
    return false;
  if (verbs.length > 0 && !verbs.includes(verb)) return false;
  if (namespaces.length > 0 || resources.length > 0)
    return (
      isResource &&
      (namespaces.length === 0 || namespaces.includes(attributes.namespace)) &&
      (resources.length === 0 || resources.some((one) => resourcesMatch(one, attributes)))
    );
  if (urls.length > 0) return !isResource && urls.some((url) => pathMatches(path, url));
  return true;
}

const pathMatches = (path: string, url: string): boolean =>
  url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));

function resourcesMatch(
  { group = "", resources = [], resourceNames = [] }: GroupResources,
  attributes: AuditedAttributes,
): boolean {
  if (group !== attributes.group && group !== "*") return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(attributes.name)) return false;
  const { resource, subresource } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === whole ||
      one === "*" ||
      (subresource !== "" && one === `*/${subresource}`) ||
      one === `${resource}/*`,
  );
}
