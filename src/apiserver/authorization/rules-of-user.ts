import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { User } from "../request/identity.ts";
import type { Grant } from "./binding-index.ts";
import type { Policy } from "./cluster-policy.ts";

/** The rules of all roles of a user, and the grants whose role does not exist. */
export function rulesOfUser(
  policy: Policy,
  user: User,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly missing: readonly Grant[] } {
  const rules: PolicyRule[] = [];
  const missing: Grant[] = [];
  const seen = new Set<Grant>();
  policy.visit(user, namespace, (grant, own) => {
    if (seen.has(grant)) return false;
    seen.add(grant);
    if (own) rules.push(...own);
    else missing.push(grant);
    return false;
  });
  return { rules, missing };
}
