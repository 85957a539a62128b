import { bool, list, named, string, strings } from "../../schema/language/field.ts";
import { At } from "../../schema/language/report.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";
import { isDns1123Subdomain } from "../../schema/values/names.ts";

/** How much of a request is audited, ascending. */
export const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** When an event of a request is sent. */
const auditStages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditStage = (typeof auditStages)[number];

const level = named(1, "io.k8s.apiserver.audit.v1.Level").always().expected();

const GroupResources = struct("io.k8s.apiserver.audit.v1.GroupResources", {
  group: string(1).doc("The API group; empty for the core group, * for all."),
  resources: strings(2).doc(
    "Such as pods, pods/log, pods/*, */scale or *; absent for all resources and subresources.",
  ),
  resourceNames: strings(3).doc("The names of objects; absent for all."),
}).doc("Resources of an API group.");
export interface GroupResources extends Infer<typeof GroupResources> {}

const PolicyRule = struct("io.k8s.apiserver.audit.v1.PolicyRule", {
  level: level.doc("How much of these requests is audited."),
  users: strings(2).doc("The names of users; absent for all."),
  userGroups: strings(3).doc("Groups, of one of which the user must be; absent for all users."),
  verbs: strings(4).doc("The verbs; absent for all."),
  resources: list(5, GroupResources).doc("The resources; absent for all."),
  namespaces: strings(6).doc(
    'The namespaces, "" for resources outside of namespaces; absent for all.',
  ),
  nonResourceURLs: strings(7).doc(
    "Paths that are not a resource's; * may be their last character.",
  ),
  omitStages: strings(8).doc("Stages without events, beside those that the policy omits."),
  omitManagedFields: bool(9)
    .pointer()
    .doc("Whether events have no managed fields; the policy's value if absent."),
}).doc("How much of some requests is audited.");
export interface PolicyRule extends Infer<typeof PolicyRule> {}

/** Which requests are audited, and how much of them. */
export const AuditPolicy = struct("io.k8s.apiserver.audit.v1.Policy", {
  kind: string(101).doc("Policy"),
  apiVersion: string(102).doc("audit.k8s.io/v1"),
  rules: list(2, PolicyRule).expected().doc("The rules; the first that matches a request counts."),
  omitStages: strings(3).doc("Stages without events."),
  omitManagedFields: bool(4).doc("Whether events have no managed fields."),
}).doc("Which requests are audited, and how much of them.");
export interface AuditPolicy extends Infer<typeof AuditPolicy> {}

/** What is wrong with a policy, in upstream's words. */
export function auditPolicyFaults(policy: AuditPolicy): string[] {
  const at = At.root();
  checkStages(policy.omitStages, at.child("omitStages"));
  for (const [i, rule] of (policy.rules ?? []).entries())
    checkRule(rule, at.child("rules").index(i));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

function checkRule(rule: PolicyRule, at: At): void {
  const { nonResourceURLs: urls = [], resources = [], namespaces = [] } = rule;
  if (!rule.level) at.required("level");
  else if (!isAuditLevel(rule.level)) at.notSupported("level", rule.level, auditLevels);
  for (const [i, url] of urls.entries()) {
    const here = at.child("nonResourceURLs").index(i);
    if (url === "*") continue;
    if (!url.startsWith("/"))
      here.invalid("", url, "non-resource URL rules must begin with a '/' character");
    if (url.slice(0, -1).includes("*"))
      here.invalid(
        "",
        url,
        "non-resource URL wildcards '*' must be the final character of the rule",
      );
  }
  for (const one of resources) checkResources(one, at.child("resources"));
  checkStages(rule.omitStages, at.child("omitStages"));
  if (urls.length > 0 && (resources.length > 0 || namespaces.length > 0))
    at.invalid(
      "nonResourceURLs",
      urls,
      "rules cannot apply to both regular resources and non-resource URLs",
    );
}

function checkResources(
  { group = "", resources = [], resourceNames = [] }: GroupResources,
  at: At,
) {
  const faults = group === "" || group === "*" ? [] : isDns1123Subdomain(group);
  if (faults.length > 0) at.invalid("group", group, faults.join(","));
  if (resourceNames.length > 0 && resources.length === 0)
    at.invalid(
      "resourceNames",
      resourceNames,
      "using resourceNames requires at least one resource",
    );
}

function checkStages(given: readonly string[] = [], at: At): void {
  for (const [i, stage] of given.entries())
    if (!(auditStages as readonly string[]).includes(stage))
      at.index(i).invalid("", stage, `allowed stages are ${auditStages.join(",")}`);
}

const isAuditLevel = (text: string): text is AuditLevel =>
  (auditLevels as readonly string[]).includes(text);
