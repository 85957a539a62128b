import {
  int32,
  int64,
  intOrString,
  list,
  message,
  named,
  string,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { PersistentVolumeClaim } from "../../core/v1/volume/persistent-volume-claim.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

export const RollingUpdateStatefulSetStrategy = struct(
  "io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy",
  {
    partition: int32(1).pointer().doc("The first ordinal whose pod is replaced."),
    maxUnavailable: intOrString(2).doc(
      "The most pods that may be missing during the update: a number, or a share of the replicas.",
    ),
  },
).doc("Which pods a rolling update replaces, and how fast.");
export interface RollingUpdateStatefulSetStrategy
  extends Infer<typeof RollingUpdateStatefulSetStrategy> {}

export const StatefulSetUpdateStrategy = struct("io.k8s.api.apps.v1.StatefulSetUpdateStrategy", {
  type: named(1, "v1.StatefulSetUpdateStrategyType")
    .known("RollingUpdate", "OnDelete")
    .default("RollingUpdate")
    .doc("Whether old pods are replaced one by one, or only when someone deletes them."),
  rollingUpdate: message(2, RollingUpdateStatefulSetStrategy).doc(
    "For RollingUpdate: which pods, and how fast.",
  ),
})
  .defaults((strategy) => {
    if (!strategy.type) strategy.rollingUpdate ??= {};
    const type = strategy.type || "RollingUpdate";
    if (type === "RollingUpdate" && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  })
  .doc("How pods of an old template are replaced.");
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategy> {}

const retention = (tag: number) =>
  named(tag, "v1.PersistentVolumeClaimRetentionPolicyType")
    .known("Retain", "Delete")
    .default("Retain");

export const StatefulSetPersistentVolumeClaimRetentionPolicy = struct(
  "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
  {
    whenDeleted: retention(1).doc("What becomes of the claims when the stateful set is deleted."),
    whenScaled: retention(2).doc("What becomes of a pod's claims when it is one too many."),
  },
).doc("What becomes of claims that no pod needs any more.");
export interface StatefulSetPersistentVolumeClaimRetentionPolicy
  extends Infer<typeof StatefulSetPersistentVolumeClaimRetentionPolicy> {}

export const StatefulSetOrdinals = struct("io.k8s.api.apps.v1.StatefulSetOrdinals", {
  start: int32(1).always().doc("The number of the first pod."),
}).doc("How the pods are numbered.");
export interface StatefulSetOrdinals extends Infer<typeof StatefulSetOrdinals> {}

export const StatefulSetSpec = struct("io.k8s.api.apps.v1.StatefulSetSpec", {
  replicas: int32(1).pointer().default(1).doc("How many pods there should be."),
  selector: message(2, LabelSelector)
    .nullable()
    .expected()
    .doc("Labels of the pods that belong to the stateful set. Never changes."),
  template: value(3, PodTemplateSpec).expected().doc("What pods are made from."),
  volumeClaimTemplates: list(4, PersistentVolumeClaim.struct)
    .atomic()
    .doc("What claims of each pod's own are made from. Never changes."),
  serviceName: string(5)
    .always()
    .doc("The service under which the pods have names in DNS. Never changes."),
  podManagementPolicy: named(6, "v1.PodManagementPolicyType")
    .known("OrderedReady", "Parallel")
    .default("OrderedReady")
    .doc("Whether pods come and go one after the other, or all at once. Never changes."),
  updateStrategy: value(7, StatefulSetUpdateStrategy).doc(
    "How pods of an old template are replaced.",
  ),
  revisionHistoryLimit: int32(8)
    .pointer()
    .default(10)
    .doc("How many old revisions are kept to go back to."),
  minReadySeconds: int32(9).doc("Seconds that a pod must be ready to count as available."),
  persistentVolumeClaimRetentionPolicy: message(10, StatefulSetPersistentVolumeClaimRetentionPolicy)
    .default({})
    .doc("What becomes of claims that no pod needs any more."),
  ordinals: message(11, StatefulSetOrdinals).doc("How the pods are numbered; from 0 if not given."),
})
  .defaults(nameClaimTemplates)
  .validatedElsewhere()
  .doc("What a stateful set should be.");
export interface StatefulSetSpec extends Infer<typeof StatefulSetSpec> {}

/** Says of each template that it is one of claims, whatever the client wrote. */
export function nameClaimTemplates(spec: {
  volumeClaimTemplates?: ClaimTemplate[] | undefined;
}): void {
  if (!spec.volumeClaimTemplates) return;
  spec.volumeClaimTemplates = spec.volumeClaimTemplates.map(
    ({ kind: _, apiVersion: __, ...template }) => ({
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      ...template,
    }),
  );
}

interface ClaimTemplate {
  kind?: string | undefined;
  apiVersion?: string | undefined;
}

export const StatefulSetCondition = ownCondition(
  "io.k8s.api.apps.v1.StatefulSetCondition",
  "v1.StatefulSetConditionType",
).doc("One aspect of a stateful set's state.");
export interface StatefulSetCondition extends Infer<typeof StatefulSetCondition> {}

export const StatefulSetStatus = struct("io.k8s.api.apps.v1.StatefulSetStatus", {
  observedGeneration: int64(1).doc("The generation that the status is about."),
  replicas: int32(2).always().expected().doc("How many pods there are."),
  readyReplicas: int32(3).doc("How many of them are ready."),
  currentReplicas: int32(4).doc("How many of them are of the current revision."),
  updatedReplicas: int32(5).doc("How many of them are of the update revision."),
  currentRevision: string(6).doc("The revision that pods below those already updated have."),
  updateRevision: string(7).doc("The revision that pods are updated to."),
  collisionCount: int32(9).pointer().doc("How often the name of a new revision was taken already."),
  conditions: list(10, StatefulSetCondition).keyedBy("type").doc("The stateful set's state."),
  availableReplicas: int32(11)
    .always()
    .doc("How many of the pods have been ready for long enough."),
}).doc("What a stateful set is at present.");
export interface StatefulSetStatus extends Infer<typeof StatefulSetStatus> {}
