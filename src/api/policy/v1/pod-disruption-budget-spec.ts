import {
  int32,
  int64,
  intOrString,
  list,
  mapOf,
  message,
  named,
} from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { timeType } from "../../../schema/language/type.ts";
import {
  validateAtMost100Percent,
  validateCountOrPercent,
} from "../../apps/v1/count-or-percent.ts";
import { Condition } from "../../meta/v1/condition.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { LabelSelector, validateLabelSelector } from "../../meta/v1/label-selector.ts";

export const PodDisruptionBudgetSpec = struct("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", {
  minAvailable: intOrString(1).doc("Pods that must remain, as a number or in per cent."),
  selector: message(2, LabelSelector)
    .patch("replace")
    .doc("Labels of the pods that the budget is for; an empty selector takes all of them."),
  maxUnavailable: intOrString(3).doc("Pods that may be missing, as a number or in per cent."),
  unhealthyPodEvictionPolicy: named(4, "v1.UnhealthyPodEvictionPolicyType")
    .pointer()
    .known("IfHealthyBudget", "AlwaysAllow")
    .doc("When pods that run but are not ready may be evicted: IfHealthyBudget or AlwaysAllow."),
})
  .validatedElsewhere()
  .doc("How many pods may be disrupted at a time.");
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

export const PodDisruptionBudgetStatus = struct("io.k8s.api.policy.v1.PodDisruptionBudgetStatus", {
  observedGeneration: int64(1).doc("The generation of the budget that was looked at."),
  disruptedPods: mapOf(2, timeType).doc("Pods whose eviction was granted, and when."),
  disruptionsAllowed: int32(3).always().doc("Pods that may be disrupted now."),
  currentHealthy: int32(4).always().doc("Pods that are healthy."),
  desiredHealthy: int32(5).always().doc("Pods that must be healthy at least."),
  expectedPods: int32(6).always().doc("Pods that the budget is for."),
  conditions: list(7, Condition).keyedBy("type").doc("Aspects of the state of the budget."),
}).doc("How many pods may be disrupted at present.");
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatus> {}

/** The rules of a budget; a selector whose values were invalid before may stay so. */
export function validatePodDisruptionBudgetSpec(
  spec: PodDisruptionBudgetSpec,
  at: At,
  options: { readonly allowInvalidValues: boolean },
): void {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    at.invalid(
      "",
      internalForm(PodDisruptionBudgetSpec, spec),
      "minAvailable and maxUnavailable cannot be both set",
    );
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    validateCountOrPercent(field, value, at);
    validateAtMost100Percent(field, value, at);
  }
  validateLabelSelector(selector, at.child("selector"), options);
  if (policy !== undefined && policy !== "AlwaysAllow" && policy !== "IfHealthyBudget")
    at.notSupported("unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"]);
}
