import { value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import type { PodValidationOptions } from "../../core/v1/pod/validation/pod-validation-options.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { sameSelector, shownSelector } from "../../meta/v1/label-selector.ts";
import { ReplicaSetSpec, ReplicaSetStatus } from "./replica-set-spec.ts";
import {
  validateNonnegative,
  validateReplicaCounts,
  validateReplicated,
} from "./replica-validation.ts";
import { containersColumn, imagesColumn, selectorText } from "./template-columns.ts";
import { templateWarnings } from "./template-warnings.ts";

export const ReplicaSet = kind({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  shortNames: ["rs"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Keeps a number of equal pods running.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, ReplicaSetSpec).doc("What the replica set should be."),
    status: value(3, ReplicaSetStatus).doc("What the replica set is at present."),
  },
  subresources: ["scale", "status"],
  rules: [({ spec }, at) => validateReplicaSetSpec(spec, at.child("spec"), podValidationOptions())],
  updateRules({ spec }, old, { at }) {
    const options = podValidationOptions(old.spec.template);
    validateReplicaSetSpec(spec, at.child("spec"), options);
    if (!sameSelector(spec.selector, old.spec.selector))
      at.invalid("spec.selector", shownSelector(spec.selector), "field is immutable");
  },
  statusRules({ status }, _old, { at }) {
    validateReplicaSetStatus(status, at.child("status"));
  },
  strategy: {
    fillEmpty({ spec }) {
      spec.replicas = 0;
    },
    initialStatus: { replicas: 0 },
    generation: { spec: ReplicaSetSpec },
    prepare: ({ spec }, old, write) =>
      dropDisabledPodFields(spec.template.spec, old?.spec.template.spec, write),
    warnings: templateWarnings,
  },
  columns: [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description:
        "Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
      cell: ({ spec }) => spec.replicas,
    },
    {
      name: "Current",
      type: "integer",
      description:
        "Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset",
      cell: ({ status }) => status.replicas,
    },
    {
      name: "Ready",
      type: "integer",
      description:
        "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.",
      cell: ({ status }) => status.readyReplicas ?? 0,
    },
    ageColumn,
    containersColumn,
    imagesColumn,
    {
      name: "Selector",
      type: "string",
      wide: true,
      description:
        "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      cell: ({ spec }) => selectorText(spec.selector),
    },
  ],
});
export interface ReplicaSet extends ObjectOf<typeof ReplicaSet> {}

function validateReplicaSetSpec(spec: ReplicaSetSpec, at: At, options: PodValidationOptions): void {
  validateNonnegative(spec, at, "replicas", "minReadySeconds");
  validateReplicated(spec, at, options);
}

function validateReplicaSetStatus(status: ReplicaSetStatus, at: At): void {
  validateNonnegative(
    status,
    at,
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  );
  validateReplicaCounts(status, at, "fullyLabeledReplicas");
}
