import { int32, list, message, named, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isLongName, isShortName } from "../../../schema/values/names.ts";
import { Condition } from "../../meta/v1/condition.ts";

const prefix = "io.k8s.api.scheduling.v1alpha2";

export const BasicSchedulingPolicy = struct(`${prefix}.BasicSchedulingPolicy`, {}).doc(
  "Pods are scheduled one by one.",
);
export interface BasicSchedulingPolicy extends Infer<typeof BasicSchedulingPolicy> {}

export const GangSchedulingPolicy = struct(`${prefix}.GangSchedulingPolicy`, {
  minCount: int32(1)
    .always()
    .expected()
    .check((count, at) => {
      if (count === 0) at.required();
      else if (count < 1) at.invalid("", count, "must be greater than or equal to 1");
    })
    .doc("How many pods must be scheduled at the same time, at least."),
}).doc("Pods are scheduled together, or not at all.");
export interface GangSchedulingPolicy extends Infer<typeof GangSchedulingPolicy> {}

export const PodGroupSchedulingPolicy = struct(`${prefix}.PodGroupSchedulingPolicy`, {
  basic: message(1, BasicSchedulingPolicy).doc("One by one."),
  gang: message(2, GangSchedulingPolicy).doc("All together."),
})
  .rules((policy, at) => validateUnion(policy, at, ["basic", "gang"]), "basic", "gang")
  .doc("How the pods of a group are scheduled: one of these.");
export interface PodGroupSchedulingPolicy extends Infer<typeof PodGroupSchedulingPolicy> {}

export const TopologyConstraint = struct(`${prefix}.TopologyConstraint`, {
  key: string(1).always().expected().doc("The label of nodes that names the domain."),
}).doc("Keeps the pods of a group in one domain.");
export interface TopologyConstraint extends Infer<typeof TopologyConstraint> {}

export const PodGroupSchedulingConstraints = struct(`${prefix}.PodGroupSchedulingConstraints`, {
  topology: list(1, TopologyConstraint).atomic().doc("Domains to keep the pods in."),
}).doc("Where the pods of a group may be scheduled.");
export interface PodGroupSchedulingConstraints
  extends Infer<typeof PodGroupSchedulingConstraints> {}

export const PodGroupResourceClaim = struct(`${prefix}.PodGroupResourceClaim`, {
  name: string(1).always().expected().doc("The name of the claim in the group."),
  resourceClaimName: string(2).pointer().doc("The claim that the pods share."),
  resourceClaimTemplateName: string(3).pointer().doc("The template that the claim is made from."),
}).doc("A claim of resources that the pods of a group share.");
export interface PodGroupResourceClaim extends Infer<typeof PodGroupResourceClaim> {}

export const WorkloadPodGroupTemplateReference = struct(
  `${prefix}.WorkloadPodGroupTemplateReference`,
  {
    workloadName: string(1).always().required().as(isLongName).doc("The workload."),
    podGroupTemplateName: string(2)
      .always()
      .required()
      .as(isShortName)
      .doc("Which of its templates."),
  },
).doc("Names a template in a workload.");
export interface WorkloadPodGroupTemplateReference
  extends Infer<typeof WorkloadPodGroupTemplateReference> {}

export const PodGroupTemplateReference = struct(`${prefix}.PodGroupTemplateReference`, {
  workload: message(1, WorkloadPodGroupTemplateReference)
    .nullable()
    .doc("The template in a workload."),
})
  .rules((reference, at) => validateUnion(reference, at, ["workload"]), "workload")
  .doc("Where a group was made from.");
export interface PodGroupTemplateReference extends Infer<typeof PodGroupTemplateReference> {}

/** What belongs to features that are off: it is not taken from clients. */
export const gatedFields = {
  resourceClaims: list(4, PodGroupResourceClaim)
    .mapKeys("name")
    .patch("merge,retainKeys", "name")
    .doc("Claims that the pods share."),
  disruptionMode: named(5, "v1alpha2.DisruptionMode")
    .pointer()
    .known("Pod", "PodGroup")
    .doc("What is evicted to make room: a Pod, or the whole PodGroup."),
  priorityClassName: string(6).doc("The priority class of the group."),
  priority: int32(7).pointer().doc("The priority of the group."),
};

export const PodGroupSpec = struct(`${prefix}.PodGroupSpec`, {
  podGroupTemplateRef: message(1, PodGroupTemplateReference)
    .nullable()
    .doc("The template that the group was made from."),
  schedulingPolicy: value(2, PodGroupSchedulingPolicy)
    .expected()
    .doc("How the pods are scheduled."),
  schedulingConstraints: message(3, PodGroupSchedulingConstraints).doc(
    "Where they may be scheduled.",
  ),
  ...gatedFields,
}).doc("How the pods of a group are scheduled.");
export interface PodGroupSpec extends Infer<typeof PodGroupSpec> {}

export const PodGroupResourceClaimStatus = struct(`${prefix}.PodGroupResourceClaimStatus`, {
  name: string(1).always().expected().doc("The name of the claim in the group."),
  resourceClaimName: string(2).pointer().doc("The claim that was made for it."),
}).doc("What became of a claim of a group.");
export interface PodGroupResourceClaimStatus extends Infer<typeof PodGroupResourceClaimStatus> {}

export const PodGroupStatus = struct(`${prefix}.PodGroupStatus`, {
  conditions: list(1, Condition).keyedBy("type").doc("Aspects of the state of the group."),
  resourceClaimStatuses: list(2, PodGroupResourceClaimStatus)
    .mapKeys("name")
    .patch("merge,retainKeys", "name")
    .doc("What became of its claims."),
}).doc("What is known of a group of pods.");
export interface PodGroupStatus extends Infer<typeof PodGroupStatus> {}

function validateUnion<T extends object>(
  value: T,
  at: At,
  members: readonly (keyof T & string)[],
): void {
  const set = members.filter((member) => value[member] !== undefined && value[member] !== null);
  const all = members.map((member) => `\`${member}\``).join(", ");
  if (set.length === 0) at.invalid("", "", `must specify one of: ${all}`);
  else if (set.length > 1)
    at.invalid("", `{${set.join(", ")}}`, `must specify exactly one of: ${all}`);
}
