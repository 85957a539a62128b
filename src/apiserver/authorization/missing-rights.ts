import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import { quote } from "../../schema/values/quote.ts";

/** Missing rules in the form of upstream's error: one line per resource, in order. */
export function missingRights(rules: readonly PolicyRule[]): string {
  const byResource = new Map<string, PolicyRule>();
  const lines = new Set<string>();
  for (const rule of rules) {
    if (rule.nonResourceURLs) {
      lines.add(ruleText(rule));
      continue;
    }
    const { verbs, ...about } = rule;
    const key = JSON.stringify(about);
    const known = byResource.get(key)?.verbs ?? [];
    byResource.set(key, { ...about, verbs: [...known, ...verbs] });
  }
  for (const rule of byResource.values()) lines.add(ruleText(rule));
  return [...lines].sort().join("\n");
}

function ruleText({
  apiGroups,
  resources,
  nonResourceURLs,
  resourceNames,
  verbs,
}: PolicyRule): string {
  const lists = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const parts = Object.entries(lists).flatMap(([name, words = []]) =>
    words.length === 0 ? [] : [`${name}:[${words.map(quote).join(" ")}]`],
  );
  return `{${parts.join(", ")}}`;
}
