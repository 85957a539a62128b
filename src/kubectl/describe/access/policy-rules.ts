import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import { goString } from "../../../schema/values/go-print.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";

/** A rule for one resource, one of its objects or one URL. */
export interface SimpleRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a role, taken apart and put together again by resource, in order. */
export function simpleRules(rules: readonly PolicyRule[]): readonly SimpleRule[] {
  const all = rules.flatMap((rule) => [...resourceRules(rule)]);
  const merged = new Map<string, SimpleRule>();
  for (const rule of all) {
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = merged.get(key);
    const verbs = [...new Set([...(known?.verbs ?? []), ...rule.verbs])];
    merged.set(key, { ...rule, verbs });
  }
  const urls = rules.flatMap((rule) => [...urlRules(rule)]);
  return [...urls, ...merged.values()].sort((a, b) => compareUtf8(ruleText(a), ruleText(b)));
}

const nothing: SimpleRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

function* resourceRules(rule: PolicyRule): Generator<SimpleRule> {
  const { apiGroups = [], resources = [], verbs = [], resourceNames = [] } = rule;
  const names = resourceNames.length > 0 ? resourceNames.map((name) => [name]) : [[]];
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs)
        for (const name of names)
          yield {
            ...nothing,
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            resourceNames: name,
          };
}

function* urlRules({ nonResourceURLs = [], verbs = [] }: PolicyRule): Generator<SimpleRule> {
  for (const url of nonResourceURLs)
    for (const verb of verbs) yield { ...nothing, nonResourceURLs: [url], verbs: [verb] };
}

/** A rule as Go prints it, which is how rules are sorted. */
const ruleText = (rule: SimpleRule): string =>
  `Verbs:${goString(rule.verbs)},APIGroups:${goString(rule.apiGroups)},Resources:${goString(rule.resources)},ResourceNames:${goString(rule.resourceNames)},NonResourceURLs:${goString(rule.nonResourceURLs)},`;
