import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { User } from "../identity.ts";
import type { Grant, Policy } from "./policy.ts";

/** The rules of all roles of a user, and the grants of roles that do not exist. */
export function rulesOfUser(
  policy: Policy,
  user: User,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly missing: readonly Grant[] } {
  const rules: PolicyRule[] = [];
  const missing: Grant[] = [];
  policy.visit(user, namespace, (grant) => {
    if (grant.rules) rules.push(...grant.rules);
    else missing.push(grant);
    return false;
  });
  return { rules, missing };
}
