import { list, value } from "../../../schema/language/field.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { bindingColumns } from "./binding-columns.ts";
import { RoleRef, validateRoleRef, validateRoleRefUpdate } from "./role-ref.ts";
import { Subject, validateSubject } from "./subject.ts";

export const RoleBinding = kind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
  doc: "Gives somebody a role in a namespace.",
  name: (name) => pathSegmentName(name),
  fields: {
    subjects: list(2, Subject).atomic().doc("To whom the role is given."),
    roleRef: value(3, RoleRef).expected().doc("A role of the namespace, or a cluster role."),
  },
  rules: [
    ({ roleRef, subjects = [] }, at) => {
      validateRoleRef(roleRef, at.child("roleRef"), ["Role", "ClusterRole"]);
      for (const [i, subject] of subjects.entries())
        validateSubject(subject, at.child("subjects").index(i), true);
    },
  ],
  firstUpdateRules: (_binding, _old, { create }) => create(),
  updateRules: ({ roleRef }, old, { at }) =>
    validateRoleRefUpdate(roleRef, old.roleRef, at.child("roleRef")),
  strategy: { createOnUpdate: true },
  columns: bindingColumns(
    "roleBinding",
    "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
  ),
});
export interface RoleBinding extends ObjectOf<typeof RoleBinding> {}
