import type { PolicyRule } from "./policy-rule.ts";

/** Whether two rules say the same in the same words; that a list is absent or empty is no difference. */
export const sameRule = (a: PolicyRule, b: PolicyRule): boolean =>
  lists.every((name) => sameList(a[name] ?? [], b[name] ?? []));

/** Whether two lists have the same rules in the same order. */
export const sameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, i) => sameRule(rule, b[i] as PolicyRule));

const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);
