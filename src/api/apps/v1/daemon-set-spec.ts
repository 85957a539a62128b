import {
  int32,
  int64,
  intOrString,
  list,
  message,
  named,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

export const RollingUpdateDaemonSet = struct("io.k8s.api.apps.v1.RollingUpdateDaemonSet", {
  maxUnavailable: intOrString(1).doc(
    "The most nodes that may be without their pod during the update: a number, or a share of them.",
  ),
  maxSurge: intOrString(2).doc(
    "The most nodes that may have an old and a new pod at once: a number, or a share of them.",
  ),
}).doc("How fast a rolling update goes.");
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

export const DaemonSetUpdateStrategy = struct("io.k8s.api.apps.v1.DaemonSetUpdateStrategy", {
  type: named(1, "v1.DaemonSetUpdateStrategyType")
    .known("RollingUpdate", "OnDelete")
    .default("RollingUpdate")
    .doc("Whether old pods are replaced node by node, or only when someone deletes them."),
  rollingUpdate: message(2, RollingUpdateDaemonSet).doc("For RollingUpdate: how fast."),
})
  .defaults((strategy) => {
    if (strategy.type && strategy.type !== "RollingUpdate") return;
    strategy.rollingUpdate ??= {};
    strategy.rollingUpdate.maxUnavailable ??= 1;
    strategy.rollingUpdate.maxSurge ??= 0;
  })
  .doc("How pods of an old template are replaced.");
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

export const DaemonSetSpec = struct("io.k8s.api.apps.v1.DaemonSetSpec", {
  selector: message(1, LabelSelector)
    .nullable()
    .expected()
    .doc("Labels of the pods that belong to the daemon set. Never changes."),
  template: value(2, PodTemplateSpec).expected().doc("What pods are made from, one on each node."),
  updateStrategy: value(3, DaemonSetUpdateStrategy).doc(
    "How pods of an old template are replaced.",
  ),
  minReadySeconds: int32(4).doc("Seconds that a pod must be ready to count as available."),
  revisionHistoryLimit: int32(6)
    .pointer()
    .default(10)
    .doc("How many old revisions are kept to go back to."),
})
  .validatedElsewhere()
  .doc("What a daemon set should be.");
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

export const DaemonSetCondition = ownCondition(
  "io.k8s.api.apps.v1.DaemonSetCondition",
  "v1.DaemonSetConditionType",
).doc("One aspect of a daemon set's state.");
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

export const DaemonSetStatus = struct("io.k8s.api.apps.v1.DaemonSetStatus", {
  currentNumberScheduled: int32(1)
    .always()
    .expected()
    .doc("How many nodes have a pod that they should have."),
  numberMisscheduled: int32(2)
    .always()
    .expected()
    .doc("How many nodes have a pod that they should not have."),
  desiredNumberScheduled: int32(3).always().expected().doc("How many nodes should have a pod."),
  numberReady: int32(4)
    .always()
    .expected()
    .doc("How many of those nodes have a pod that is ready."),
  observedGeneration: int64(5).doc("The generation that the status is about."),
  updatedNumberScheduled: int32(6).doc("How many nodes have a pod of the current template."),
  numberAvailable: int32(7).doc("How many nodes have a pod that has been ready for long enough."),
  numberUnavailable: int32(8).doc("How many nodes still lack a pod that is available."),
  collisionCount: int32(9).pointer().doc("How often the name of a new revision was taken already."),
  conditions: list(10, DaemonSetCondition).keyedBy("type").doc("The daemon set's state."),
}).doc("What a daemon set is at present.");
export interface DaemonSetStatus extends Infer<typeof DaemonSetStatus> {}
