import type { PolicyRule } from "./policy-rule.ts";

/** Whether two rules say the same in the same words; that a list is absent or empty is no difference. */
export const sameRule = (a: PolicyRule, b: PolicyRule): boolean =>
  lists.every((name) => sameList(a[name] ?? [], b[name] ?? []));

const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);
