import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import {
  type BindingLike,
  isProtected,
  type RoleLike,
  reconciledBinding,
  reconciledRole,
} from "../../../api/rbac/v1/reconciled.ts";
import type { ApiObject } from "../../objects/object.ts";
import type { DefaultPolicy } from "./default-policy.ts";

/** A change of one object of a cluster's policy. */
export type PolicyChange =
  | { readonly type: "create"; readonly object: PolicyObject }
  /** Update it to the expected object. */
  | { readonly type: "update"; readonly object: PolicyObject }
  /** Delete the one with this uid, then create. */
  | { readonly type: "recreate"; readonly object: PolicyObject; readonly uid: string };

export type PolicyObject = ApiObject & (RoleLike | BindingLike);

/** Returns the existing object for an expected one. */
export type FindObject = (object: PolicyObject) => ApiObject | undefined;

/** The changes that complete the policy of a cluster. Objects that opt out are skipped. */
export const planPolicy = (policy: DefaultPolicy, find: FindObject): readonly PolicyChange[] => [
  ...policy.clusterRoles.flatMap((role) => planRole(role, find, formerRole(policy, role, find))),
  ...policy.clusterRoleBindings.flatMap((binding) =>
    planBinding(binding, find, formerBinding(policy, binding, find)),
  ),
  ...policy.roles.flatMap((role) => planRole(role, find)),
  ...policy.roleBindings.flatMap((binding) => planBinding(binding, find)),
];

/** The existing object, completed to the expected one; undefined if it needs no change. */
export function reconciled(existing: ApiObject, expected: PolicyObject): PolicyObject | undefined {
  if (isProtected(existing)) return undefined;
  const change = isBinding(expected)
    ? reconciledBinding(existing as PolicyObject & BindingLike, expected)
    : reconciledRole(existing as PolicyObject & RoleLike, expected);
  return change === "another role" ? undefined : (change as PolicyObject | undefined);
}

const isBinding = (object: RoleLike | BindingLike): object is BindingLike => "roleRef" in object;

function planRole(
  expected: PolicyObject & RoleLike,
  find: FindObject,
  former?: PolicyObject,
): PolicyChange[] {
  const existing = find(expected);
  if (!existing) return [{ type: "create", object: complete(former, expected) }];
  return reconciled(existing, expected) ? [{ type: "update", object: expected }] : [];
}

function planBinding(
  expected: PolicyObject & BindingLike,
  find: FindObject,
  former?: PolicyObject,
): PolicyChange[] {
  const existing = find(expected);
  if (!existing) return [{ type: "create", object: complete(former, expected) }];
  if (isProtected(existing)) return [];
  const change = reconciledBinding(existing as PolicyObject & BindingLike, expected);
  const uid = existing.metadata.uid ?? "";
  if (change === "another role") return [{ type: "recreate", object: expected, uid }];
  return change ? [{ type: "update", object: expected }] : [];
}

/** The successor of a former object starts with its rules or subjects. */
const complete = (former: PolicyObject | undefined, expected: PolicyObject): PolicyObject =>
  former ? (reconciled(former, expected) ?? former) : expected;

const aggregated = ["admin", "edit", "view"];

/** These roles were not aggregated in older versions: their rules move to the role that is aggregated. */
function formerRole(
  { clusterRoles }: DefaultPolicy,
  expected: ClusterRole,
  find: FindObject,
): PolicyObject | undefined {
  const name = expected.metadata.name ?? "";
  const old = aggregated.find((candidate) => name === `system:aggregate-to-${candidate}`);
  const template = clusterRoles.find((role) => role.metadata.name === old);
  const existing = template && (find(template) as ClusterRole | undefined);
  if (!existing || existing.aggregationRule) return undefined;
  const { labels, annotations, finalizers, ownerReferences } = existing.metadata;
  const metadata = { name, labels, annotations, finalizers, ownerReferences };
  return { ...existing, metadata };
}

/** In older versions, the subjects of system:discovery could read public information, too. */
function formerBinding(
  { clusterRoleBindings }: DefaultPolicy,
  expected: ClusterRoleBinding,
  find: FindObject,
): PolicyObject | undefined {
  if (expected.metadata.name !== "system:public-info-viewer") return undefined;
  const template = clusterRoleBindings.find(({ metadata }) => metadata.name === "system:discovery");
  const existing = template && (find(template) as ClusterRoleBinding | undefined);
  if (!existing) return undefined;
  const { labels, annotations } = existing.metadata;
  const metadata = { name: "system:public-info-viewer", labels, annotations };
  return { ...expected, metadata, subjects: existing.subjects };
}
