import { int32, list, listOf, message, named, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { int32Type } from "../../../schema/language/type.ts";
import { podConditionType } from "../../core/v1/scheduling/scheduling.ts";

export const PodFailurePolicyOnExitCodesRequirement = struct(
  "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement",
  {
    containerName: string(1)
      .pointer()
      .doc("The container whose exit code is looked at; without it, all of them."),
    operator: named(2, "v1.PodFailurePolicyOnExitCodesOperator")
      .always()
      .expected()
      .known("In", "NotIn")
      .doc("How the exit code relates to the values."),
    values: listOf(3, int32Type).always().expected().set().doc("The exit codes, in order."),
  },
).doc("Looks at the exit codes of a failed pod.");
export interface PodFailurePolicyOnExitCodesRequirement
  extends Infer<typeof PodFailurePolicyOnExitCodesRequirement> {}

export const PodFailurePolicyOnPodConditionsPattern = struct(
  "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern",
  {
    type: podConditionType(1).doc("The condition that is looked at."),
    status: named(2, "v1.ConditionStatus")
      .always()
      .known("True", "False", "Unknown")
      .doc("The status that it must have; True if not given."),
  },
)
  .defaults((pattern) => {
    pattern.status ||= "True";
  })
  .doc("Looks at a condition of a failed pod.");
export interface PodFailurePolicyOnPodConditionsPattern
  extends Infer<typeof PodFailurePolicyOnPodConditionsPattern> {}

export const PodFailurePolicyRule = struct("io.k8s.api.batch.v1.PodFailurePolicyRule", {
  action: named(1, "v1.PodFailurePolicyAction")
    .always()
    .expected()
    .known("FailJob", "FailIndex", "Ignore", "Count")
    .doc("What follows from the failure."),
  onExitCodes: message(2, PodFailurePolicyOnExitCodesRequirement).doc(
    "Applies to pods whose containers ended in this way.",
  ),
  onPodConditions: list(3, PodFailurePolicyOnPodConditionsPattern)
    .atomic()
    .doc("Applies to pods that have one of these conditions."),
}).doc("What follows from some failures of pods; has either exit codes or conditions.");
export interface PodFailurePolicyRule extends Infer<typeof PodFailurePolicyRule> {}

export const PodFailurePolicy = struct("io.k8s.api.batch.v1.PodFailurePolicy", {
  rules: list(1, PodFailurePolicyRule)
    .always()
    .expected()
    .atomic()
    .doc("The first that applies decides; where none does, the failure counts."),
}).doc("What follows from failures of pods.");
export interface PodFailurePolicy extends Infer<typeof PodFailurePolicy> {}

export const SuccessPolicyRule = struct("io.k8s.api.batch.v1.SuccessPolicyRule", {
  succeededIndexes: string(1)
    .pointer()
    .doc("The indexes that must succeed, or of which some must: `0,2-4`."),
  succeededCount: int32(2).pointer().doc("How many indexes must succeed."),
}).doc("One way for a job to succeed.");
export interface SuccessPolicyRule extends Infer<typeof SuccessPolicyRule> {}

export const SuccessPolicy = struct("io.k8s.api.batch.v1.SuccessPolicy", {
  rules: list(1, SuccessPolicyRule)
    .always()
    .expected()
    .atomic()
    .doc("The job succeeds as soon as one of them is met."),
}).doc("When an indexed job succeeds before all of its indexes do.");
export interface SuccessPolicy extends Infer<typeof SuccessPolicy> {}
