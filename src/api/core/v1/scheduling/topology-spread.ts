import { int32, message, named, string, strings } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import {
  LabelSelector,
  validateLabelName,
  validateLabelSelector,
} from "../../../meta/v1/label-selector.ts";
import type { PodValidationOptions } from "../pod/validation/pod-validation-options.ts";
import { validateMatchLabelKeys } from "./match-label-keys.ts";

export const TopologySpreadConstraint = struct("io.k8s.api.core.v1.TopologySpreadConstraint", {
  maxSkew: int32(1)
    .always()
    .expected()
    .doc("By how many pods a place may exceed the one with the fewest."),
  topologyKey: string(2)
    .always()
    .expected()
    .doc("The label of nodes whose value tells which nodes count as one place."),
  whenUnsatisfiable: named(3, "v1.UnsatisfiableConstraintAction")
    .always()
    .expected()
    .known("DoNotSchedule", "ScheduleAnyway")
    .doc("What the scheduler does with a pod that cannot meet the constraint."),
  labelSelector: message(4, LabelSelector).doc("Which pods are counted."),
  minDomains: int32(5).pointer().doc("The fewest places there must be; fewer count as empty ones."),
  nodeAffinityPolicy: named(6, "v1.NodeInclusionPolicy")
    .pointer()
    .known("Ignore", "Honor")
    .doc("Whether nodes that the pod's node affinity excludes are left out; Honor if not given."),
  nodeTaintsPolicy: named(7, "v1.NodeInclusionPolicy")
    .pointer()
    .known("Ignore", "Honor")
    .doc("Whether nodes with taints not tolerated are left out; Ignore if not given."),
  matchLabelKeys: strings(8)
    .atomic()
    .doc("Labels whose values the pods that are counted share with this pod."),
}).doc("How evenly pods are spread over places.");
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}

/** The rules of a pod's topology spread constraints. */
export function validateTopologySpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  at: At,
  options: PodValidationOptions = {},
): void {
  for (const [i, constraint] of constraints.entries()) {
    const here = at.index(i);
    const { maxSkew, topologyKey, whenUnsatisfiable, matchLabelKeys, labelSelector } = constraint;
    if (maxSkew <= 0) here.invalid("maxSkew", maxSkew, "must be greater than zero");
    if (topologyKey === "") here.required("topologyKey", "can not be empty");
    if (!actions.includes(whenUnsatisfiable))
      here.notSupported("whenUnsatisfiable", whenUnsatisfiable, actions);
    if (constraints.slice(i + 1).some((other) => sameKind(constraint, other)))
      here.duplicate("{topologyKey, whenUnsatisfiable}", `{${topologyKey}, ${whenUnsatisfiable}}`);
    validateMinDomains(constraint, here);
    for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const)
      if (constraint[name] !== undefined && !inclusionPolicies.includes(constraint[name]))
        here.notSupported(name, constraint[name], inclusionPolicies);
    if (options.oldPodViolatesMatchLabelKeysValidation)
      validateFormerMatchLabelKeys(constraint, here.child("matchLabelKeys"));
    else validateMatchLabelKeys({ matchLabelKeys, labelSelector }, here);
    if (!options.allowInvalidTopologySpreadConstraintLabelSelector)
      validateLabelSelector(labelSelector, here.child("labelSelector"));
  }
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const inclusionPolicies = ["Honor", "Ignore"];

const sameKind = (a: TopologySpreadConstraint, b: TopologySpreadConstraint): boolean =>
  a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;

function validateMinDomains(
  { minDomains, whenUnsatisfiable }: TopologySpreadConstraint,
  at: At,
): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) at.invalid("minDomains", minDomains, "must be greater than zero");
  if (whenUnsatisfiable !== "DoNotSchedule")
    at.invalid(
      "minDomains",
      minDomains,
      `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
    );
}

/** The rules for pods that were made when the keys were not yet merged into the selector. */
function validateFormerMatchLabelKeys(
  { matchLabelKeys = [], labelSelector }: TopologySpreadConstraint,
  at: At,
): void {
  if (matchLabelKeys.length === 0) return;
  if (!labelSelector) at.forbidden("", "must not be specified when labelSelector is not set");
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const selected = new Set([
    ...Object.keys(matchLabels),
    ...matchExpressions.map(({ key }) => key),
  ]);
  for (const [i, key] of matchLabelKeys.entries()) {
    validateLabelName(key, at.index(i));
    if (selected.has(key))
      at.index(i).invalid("", key, "exists in both matchLabelKeys and labelSelector");
  }
}
