import { string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";

/** The group of roles and of those to whom they are bound. */
export const rbacGroup = "rbac.authorization.k8s.io";

export const RoleRef = struct("io.k8s.api.rbac.v1.RoleRef", {
  apiGroup: string(1).always().doc("The group of the role."),
  kind: string(2).always().expected().doc("Role or ClusterRole."),
  name: string(3).always().expected().doc("The name of the role."),
})
  .atomic()
  .validatedElsewhere()
  .defaults((ref) => {
    ref.apiGroup ||= rbacGroup;
  })
  .doc("The role that is bound.");
export interface RoleRef extends Infer<typeof RoleRef> {}

/** The rules of a reference to a role of one of these kinds. */
export function validateRoleRef(ref: RoleRef, at: At, kinds: readonly string[]): void {
  if (ref.apiGroup !== rbacGroup) at.notSupported("apiGroup", ref.apiGroup, [rbacGroup]);
  if (!kinds.includes(ref.kind)) at.notSupported("kind", ref.kind, kinds);
  if (ref.name === "") at.required("name");
  else at.invalidEach("name", ref.name, pathSegmentName(ref.name));
}

/** A binding stays that of one role. */
export function validateRoleRefUpdate(ref: RoleRef, old: RoleRef, at: At): void {
  const { apiGroup, kind, name } = ref;
  if (apiGroup === old.apiGroup && kind === old.kind && name === old.name) return;
  // Shown as upstream holds it in memory.
  at.invalid("", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef");
}
