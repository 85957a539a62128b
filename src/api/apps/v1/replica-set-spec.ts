import { int32, int64, list, message, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

export const ReplicaSetSpec = struct("io.k8s.api.apps.v1.ReplicaSetSpec", {
  replicas: int32(1).pointer().default(1).doc("How many pods there should be."),
  minReadySeconds: int32(4).doc("Seconds that a pod must be ready to count as available."),
  selector: message(2, LabelSelector)
    .nullable()
    .expected()
    .doc("Labels of the pods that belong to the replica set. Never changes."),
  template: value(3, PodTemplateSpec).doc("What pods are made from."),
})
  .validatedElsewhere()
  .doc("What a replica set should be.");
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

export const ReplicaSetCondition = ownCondition(
  "io.k8s.api.apps.v1.ReplicaSetCondition",
  "v1.ReplicaSetConditionType",
  "ReplicaFailure",
).doc("One aspect of a replica set's state.");
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

export const ReplicaSetStatus = struct("io.k8s.api.apps.v1.ReplicaSetStatus", {
  replicas: int32(1).always().expected().doc("How many pods there are."),
  fullyLabeledReplicas: int32(2).doc("How many of them have all labels of the template."),
  readyReplicas: int32(4).doc("How many of them are ready."),
  availableReplicas: int32(5).doc("How many of them have been ready for long enough."),
  terminatingReplicas: int32(7).pointer().doc("How many pods are about to end."),
  observedGeneration: int64(3).doc("The generation that the status is about."),
  conditions: list(6, ReplicaSetCondition).keyedBy("type").doc("The replica set's state."),
}).doc("What a replica set is at present.");
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}
