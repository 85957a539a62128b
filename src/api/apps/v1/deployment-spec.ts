import {
  bool,
  int32,
  int64,
  intOrString,
  list,
  message,
  named,
  string,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { conditionStatus } from "../../meta/v1/condition.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

export const RollingUpdateDeployment = struct("io.k8s.api.apps.v1.RollingUpdateDeployment", {
  maxUnavailable: intOrString(1).doc(
    "The most pods that may be missing during the update: a number, or a share of the replicas.",
  ),
  maxSurge: intOrString(2).doc(
    "The most pods that may be made beyond the replicas: a number, or a share of them.",
  ),
}).doc("How fast a rolling update goes.");
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

export const DeploymentStrategy = struct("io.k8s.api.apps.v1.DeploymentStrategy", {
  type: named(1, "v1.DeploymentStrategyType")
    .known("Recreate", "RollingUpdate")
    .default("RollingUpdate")
    .doc("Whether old pods all go before new ones come, or little by little."),
  rollingUpdate: message(2, RollingUpdateDeployment).doc("For RollingUpdate: how fast."),
})
  .defaults((strategy) => {
    if (strategy.type && strategy.type !== "RollingUpdate") return;
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= "25%";
    strategy.rollingUpdate.maxSurge ??= "25%";
  })
  .doc("How pods of an old template are replaced.");
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

export const DeploymentSpec = struct("io.k8s.api.apps.v1.DeploymentSpec", {
  replicas: int32(1).pointer().default(1).doc("How many pods there should be."),
  selector: message(2, LabelSelector)
    .nullable()
    .expected()
    .doc("Labels of the pods that belong to the deployment. Never changes."),
  template: value(3, PodTemplateSpec).expected().doc("What pods are made from."),
  strategy: value(4, DeploymentStrategy)
    .patch("retainKeys")
    .doc("How pods of an old template are replaced."),
  minReadySeconds: int32(5).doc("Seconds that a pod must be ready to count as available."),
  revisionHistoryLimit: int32(6)
    .pointer()
    .default(10)
    .doc("How many old replica sets are kept to go back to."),
  paused: bool(7).doc("Whether changes of the template are held back."),
  progressDeadlineSeconds: int32(9)
    .pointer()
    .default(600)
    .doc("Seconds without progress after which the rollout is reported as stuck."),
})
  .validatedElsewhere()
  .doc("What a deployment should be.");
export interface DeploymentSpec extends Infer<typeof DeploymentSpec> {}

export const DeploymentCondition = struct("io.k8s.api.apps.v1.DeploymentCondition", {
  type: named(1, "v1.DeploymentConditionType")
    .always()
    .expected()
    .known("Available", "Progressing", "ReplicaFailure")
    .doc("What the condition is about."),
  status: conditionStatus(2),
  lastUpdateTime: time(6).always().doc("When it was last looked at."),
  lastTransitionTime: time(7).always().doc("When the status last changed."),
  reason: string(4).doc("Why it changed, in one word."),
  message: string(5).doc("Why it changed, for people."),
}).doc("One aspect of a deployment's state.");
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

export const DeploymentStatus = struct("io.k8s.api.apps.v1.DeploymentStatus", {
  observedGeneration: int64(1).doc("The generation that the status is about."),
  replicas: int32(2).doc("How many pods there are."),
  updatedReplicas: int32(3).doc("How many of them have the current template."),
  readyReplicas: int32(7).doc("How many of them are ready."),
  availableReplicas: int32(4).doc("How many of them have been ready for long enough."),
  unavailableReplicas: int32(5).doc("How many pods are still missing or not yet available."),
  terminatingReplicas: int32(9).pointer().doc("How many pods are about to end."),
  conditions: list(6, DeploymentCondition).keyedBy("type").doc("The deployment's state."),
  collisionCount: int32(8)
    .pointer()
    .doc("How often the name of a new replica set was taken already."),
}).doc("What a deployment is at present.");
export interface DeploymentStatus extends Infer<typeof DeploymentStatus> {}
