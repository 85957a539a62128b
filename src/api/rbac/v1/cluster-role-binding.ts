import { list, value } from "../../../schema/language/field.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { bindingColumns } from "./binding-columns.ts";
import { RoleRef, validateRoleRef, validateRoleRefUpdate } from "./role-ref.ts";
import { Subject, validateSubject } from "./subject.ts";

export const ClusterRoleBinding = kind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
  doc: "Gives somebody a role in the whole cluster.",
  name: (name) => pathSegmentName(name),
  fields: {
    subjects: list(2, Subject).atomic().doc("To whom the role is given."),
    roleRef: value(3, RoleRef).expected().doc("The cluster role."),
  },
  rules: [
    ({ roleRef, subjects = [] }, at) => {
      validateRoleRef(roleRef, at.child("roleRef"), ["ClusterRole"]);
      for (const [i, subject] of subjects.entries())
        validateSubject(subject, at.child("subjects").index(i), false);
    },
  ],
  firstUpdateRules: (_binding, _old, { create }) => create(),
  updateRules: ({ roleRef }, old, { at }) =>
    validateRoleRefUpdate(roleRef, old.roleRef, at.child("roleRef")),
  strategy: { createOnUpdate: true },
  columns: bindingColumns(
    "clusterRoleBinding",
    "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
  ),
});
export interface ClusterRoleBinding extends ObjectOf<typeof ClusterRoleBinding> {}
