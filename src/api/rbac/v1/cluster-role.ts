import { list, message } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { createdAtColumn } from "../../meta/v1/created-at-column.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { LabelSelector, validateLabelSelector } from "../../meta/v1/label-selector.ts";
import { PolicyRule, validatePolicyRules } from "./policy-rule.ts";

export const AggregationRule = struct("io.k8s.api.rbac.v1.AggregationRule", {
  clusterRoleSelectors: list(1, LabelSelector)
    .atomic()
    .doc("Cluster roles with such labels; the rules of all of them are taken over."),
}).doc("Which cluster roles another one is made of.");
export interface AggregationRule extends Infer<typeof AggregationRule> {}

export const ClusterRole = kind({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
  doc: "What may be done in the cluster, or in any namespace where it is bound.",
  name: (name) => pathSegmentName(name),
  fields: {
    rules: list(2, PolicyRule).always().atomic().doc("What may be done: all of these."),
    aggregationRule: message(3, AggregationRule).doc(
      "Where the rules come from, if a controller is to fill them in.",
    ),
  },
  rules: [(role, at) => validateClusterRole(role, at, false)],
  firstUpdateRules(role, old, { at, metadata }) {
    metadata();
    validateClusterRole(role, at, hasInvalidSelector(old.aggregationRule));
  },
  updateRules() {},
  strategy: { createOnUpdate: true },
  columns: [nameColumn, createdAtColumn],
});
export interface ClusterRole extends ObjectOf<typeof ClusterRole> {}

interface Body {
  readonly rules: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule | undefined;
}

function validateClusterRole(
  { rules, aggregationRule }: Body,
  at: At,
  allowInvalidValues: boolean,
): void {
  validatePolicyRules(rules, at.child("rules"), { namespaced: false });
  if (!aggregationRule) return;
  const here = at.child("aggregationRule").child("clusterRoleSelectors");
  const { clusterRoleSelectors = [] } = aggregationRule;
  if (clusterRoleSelectors.length === 0)
    here.required("", "at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const [i, selector] of clusterRoleSelectors.entries()) {
    validateLabelSelector(selector, here.index(i), { allowInvalidValues });
    if (!compiles(selector)) here.index(i).invalid("", null, "invalid label selector.");
  }
}

function compiles(selector: LabelSelector): boolean {
  try {
    labelSelector(selector);
    return true;
  } catch {
    return false;
  }
}

function hasInvalidSelector(rule: AggregationRule | undefined): boolean {
  const at = At.root();
  for (const selector of rule?.clusterRoleSelectors ?? []) validateLabelSelector(selector, at);
  return at.errors.length > 0;
}
