import { list } from "../../../schema/language/field.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { createdAtColumn } from "../../meta/v1/created-at-column.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { PolicyRule, validatePolicyRules } from "./policy-rule.ts";

export const Role = kind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  scope: "Namespaced",
  doc: "What may be done in a namespace by those to whom the role is bound.",
  name: (name) => pathSegmentName(name),
  fields: {
    rules: list(2, PolicyRule).always().atomic().doc("What may be done: all of these."),
  },
  rules: [({ rules }, at) => validatePolicyRules(rules, at.child("rules"), { namespaced: true })],
  firstUpdateRules: (_role, _old, { create }) => create(),
  updateRules() {},
  strategy: { createOnUpdate: true },
  columns: [nameColumn, createdAtColumn],
});
export interface Role extends ObjectOf<typeof Role> {}
