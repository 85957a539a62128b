import type { Subject } from "../../api/rbac/v1/subject.ts";
import { quote } from "../../schema/values/quote.ts";
import type { User } from "../request/identity.ts";
import { type Authorizer, type Decision, errorText } from "./authorizer.ts";
import { type Grant, subjectOf } from "./binding-index.ts";
import type { Policy } from "./cluster-policy.ts";
import { ruleAllows } from "./rule-allows.ts";
import { rulesOfUser } from "./rules-of-user.ts";

/** Allows what a role of the user allows. */
export function rbacAuthorizer(policy: Policy): Authorizer {
  return {
    authorize(attributes) {
      let decision: Decision | undefined;
      const errors: string[] = [];
      policy.visit(attributes.user, attributes.namespace, (grant, rules) => {
        if (!rules) errors.push(missingRole(grant));
        else if (rules.some((rule) => ruleAllows(rule, attributes)))
          decision = {
            verdict: "allow",
            reason: `RBAC: allowed by ${grantText(grant, attributes.user)}`,
          };
        return decision !== undefined;
      });
      if (decision) return decision;
      const reason = errors.length === 0 ? "" : `RBAC: ${errorText(errors)}`;
      return { verdict: "no opinion", reason };
    },

    rulesFor(user, namespace) {
      const { rules, missing } = rulesOfUser(policy, user, namespace);
      return {
        resourceRules: rules
          .filter(({ resources = [] }) => resources.length > 0)
          .map(({ nonResourceURLs: _, ...rule }) => rule),
        nonResourceRules: rules
          .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
        incomplete: false,
        errors: missing.map(missingRole),
      };
    },
  };
}

function missingRole({ binding }: Grant): string {
  const { kind, name } = binding.roleRef;
  return kind === "Role" || kind === "ClusterRole"
    ? `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quote(name)} not found`
    : `unsupported role reference kind: ${quote(kind)}`;
}

/** The reason for an allowed request: the binding, its role and its subject. */
function grantText(grant: Grant, user: User): string {
  const { binding, namespace } = grant;
  const { kind, name } = binding.roleRef;
  const bindingName = binding.metadata.name ?? "";
  const which =
    namespace === ""
      ? `ClusterRoleBinding ${quote(bindingName)}`
      : `RoleBinding ${quote(`${bindingName}/${namespace}`)}`;
  return `${which} of ${kind} ${quote(name)} to ${subjectText(subjectOf(grant, user), namespace)}`;
}

/** There is one: the binding was found by it. */
function subjectText(subject: Subject | undefined, here: string): string {
  const { kind = "", name = "", namespace } = subject ?? {};
  return `${kind} ${quote(kind === "ServiceAccount" ? `${name}/${namespace || here}` : name)}`;
}
