import {
  badRequest,
  forbidden,
  notFound,
  type ResourceName,
  StatusError,
} from "../../api/meta/v1/status-error.ts";
import type { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { uncovered } from "../../api/rbac/v1/covers.ts";
import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { BindingLike, RoleLike } from "../../api/rbac/v1/reconciled.ts";
import { type RoleRef, rbacGroup } from "../../api/rbac/v1/role-ref.ts";
import { quote } from "../../schema/values/quote.ts";
import type { AdmissionPlugin, Attributes } from "../admission/admission.ts";
import { isOnlyForCollection } from "../admission/only-for-collection.ts";
import type { PluginSetup } from "../admission/plugins.ts";
import type { ApiObject } from "../objects/object.ts";
import { resourceAttributes } from "./attributes.ts";
import { errorText } from "./authorizer.ts";
import type { Grant } from "./binding-index.ts";
import { missingRights } from "./missing-rights.ts";
import { isPrivileged } from "./modes.ts";
import { rulesOfUser } from "./rules-of-user.ts";

/**
 * Rejects roles and bindings that grant more rights than the caller has, unless the caller may `escalate` the
 * role or `bind` it. Upstream checks this in the storage of roles and bindings: after mutating admission,
 * before validation.
 */
export function escalation({
  reader,
  access,
}: Pick<PluginSetup, "reader" | "access">): AdmissionPlugin {
  return {
    name: "escalation",
    operations: ["CREATE", "UPDATE"],

    async admit(attributes) {
      const { address, context, object, old } = attributes;
      const check = address.kind.group === rbacGroup ? checks[address.kind.plural] : undefined;
      if (!check || isPrivileged(context.user)) return;
      if (old && isOnlyForCollection(attributes)) return;
      // Wait for the cache: roles that were just written count.
      await reader.catchUp();
      await check(access, { ...attributes, object: object as unknown as Granting & ApiObject });
    },
  };
}

type RuleSource = PluginSetup["access"];
type Granting = RoleLike & BindingLike;
type Check = (access: RuleSource, attributes: Attributes<Granting & ApiObject>) => Promise<void>;

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

const checkRole: Check = async (access, attributes) => {
  if (await mayEscalate(access, attributes)) return;
  const { object, old } = attributes;
  const refuse = (why: string) => forbidden(nameOf(attributes), why);
  const fault = escalationIn(access, attributes, object.rules ?? []);
  if (fault !== undefined) throw refuse(fault);
  const aggregates = isAggregated(object) || isAggregated(old as ClusterRole | undefined);
  // An aggregated role can collect any rule.
  if (aggregates && escalationIn(access, attributes, fullAuthority) !== undefined)
    throw refuse("must have cluster-admin privileges to use the aggregationRule");
};

const checkBinding: Check = async (access, attributes) => {
  const { roleRef } = attributes.object;
  if (await mayBind(access, attributes, roleRef)) return;
  const rules = rulesToBind(access, attributes, roleRef);
  const fault = escalationIn(access, attributes, rules);
  if (fault !== undefined) throw forbidden(nameOf(attributes), fault);
};

const checks: Readonly<Record<string, Check>> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

const isAggregated = (role: Pick<ClusterRole, "aggregationRule"> | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

const nameOf = ({ address, object }: Attributes): ResourceName => ({
  group: rbacGroup,
  resource: address.kind.plural,
  name: object.metadata.name ?? "",
});

async function mayEscalate({ authorizer }: RuleSource, attributes: Attributes): Promise<boolean> {
  const { address, context } = attributes;
  const { verdict } = await authorizer.authorize(
    resourceAttributes(context.user, "escalate", {
      group: rbacGroup,
      version: "*",
      resource: address.kind.plural,
      namespace: address.namespace,
      // A request to create has no name in its path.
      name: context.attributes?.name ?? "",
    }),
  );
  return verdict === "allow";
}

async function mayBind(
  { authorizer }: RuleSource,
  { address, context }: Attributes,
  { apiGroup, kind, name }: RoleRef,
): Promise<boolean> {
  if (kind !== "Role" && kind !== "ClusterRole") return false;
  const { verdict } = await authorizer.authorize(
    resourceAttributes(context.user, "bind", {
      group: apiGroup,
      version: "*",
      resource: kind === "Role" ? "roles" : "clusterroles",
      namespace: address.namespace,
      name,
    }),
  );
  return verdict === "allow";
}

/** The rules of the role to bind; the error for a missing one names the kind of the binding. */
function rulesToBind(
  { policy }: RuleSource,
  { address }: Attributes,
  ref: RoleRef,
): readonly PolicyRule[] {
  const { kind, name } = ref;
  if (kind !== "Role" && kind !== "ClusterRole")
    throw new StatusError("", `unsupported role reference kind: ${quote(kind)}`, { code: 500 });
  if (kind === "Role" && address.namespace === "")
    throw badRequest("Namespace parameter required.");
  const rules = policy.rulesOf(ref, address.namespace);
  if (!rules) throw notFound({ group: rbacGroup, resource: address.kind.plural, name });
  return rules;
}

/** The error about rules that the user lacks; undefined where it has all. */
function escalationIn(
  { policy }: RuleSource,
  { address, context }: Attributes,
  rules: readonly PolicyRule[],
): string | undefined {
  const { user } = context;
  const own = rulesOfUser(policy, user, address.namespace);
  const lacking = uncovered(own.rules, rules);
  if (lacking.length === 0) return undefined;
  const unresolved = (grant: Grant) =>
    notFound({ group: rbacGroup, resource: address.kind.plural, name: grant.binding.roleRef.name })
      .message;
  const errors = own.missing.length > 0 ? errorText(own.missing.map(unresolved)) : "";
  const groups = `[${user.groups.map(quote).join(" ")}]`;
  const message = `user ${quote(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${missingRights(lacking)}`;
  return errors === "" ? message : `${message}; resolution errors: [${errors}]`;
}
