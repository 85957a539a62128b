import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import type { ClusterRole } from "./cluster-role.ts";
import type { PolicyRule } from "./policy-rule.ts";
import { sameRule } from "./same-rule.ts";

/**
 * The rules of a cluster role that is made of others: those of every role that its selectors choose,
 * selector by selector, in the order of the roles' names, each rule once.
 */
export function aggregatedRules(
  { metadata, aggregationRule }: Pick<ClusterRole, "metadata" | "aggregationRule">,
  roles: readonly ClusterRole[],
): readonly PolicyRule[] {
  const others = roles
    .filter((role) => role.metadata.name !== metadata.name)
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const object of aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelector(object);
    for (const role of others) {
      if (!selector.matches(role.metadata.labels)) continue;
      for (const rule of role.rules ?? [])
        if (!rules.some((known) => sameRule(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
