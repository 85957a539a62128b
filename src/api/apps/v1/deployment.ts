import { value } from "../../../schema/language/field.ts";
import { formatLabelSelector, labelSelector } from "../../../schema/selectors/label-selector.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { type LabelSelector, sameSelector, shownSelector } from "../../meta/v1/label-selector.ts";
import { sameMap } from "../../meta/v1/standard-strategy.ts";
import { DeploymentSpec, DeploymentStatus } from "./deployment-spec.ts";
import { validateDeploymentSpec, validateDeploymentStatus } from "./deployment-validation.ts";
import { rollbackTo, rollbackToAnnotation, tidyRollbackTo } from "./rollback-to.ts";
import { containersColumn, imagesColumn } from "./template-columns.ts";
import { templateWarnings } from "./template-warnings.ts";

export const Deployment = kind({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  shortNames: ["deploy"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Keeps a number of equal pods running, and replaces them when their template changes.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, DeploymentSpec).doc("What the deployment should be."),
    status: value(3, DeploymentStatus).doc("What the deployment is at present."),
  },
  subresources: ["scale", "status"],
  fieldAnnotations: [rollbackToAnnotation],
  rules: [
    ({ metadata, spec }, at) =>
      validateDeploymentSpec(spec, at.child("spec"), {
        ...podValidationOptions(),
        rollbackTo: rollbackTo(metadata),
      }),
  ],
  updateRules({ metadata, spec }, old, { at }) {
    const options = podValidationOptions(old.spec.template);
    validateDeploymentSpec(spec, at.child("spec"), {
      ...options,
      rollbackTo: rollbackTo(metadata),
    });
    if (!sameSelector(spec.selector, old.spec.selector))
      at.invalid("spec.selector", shownSelector(spec.selector), "field is immutable");
  },
  statusRules({ status }, old, { at }) {
    validateDeploymentStatus(status, old.status, at.child("status"));
  },
  strategy: {
    fillEmpty({ spec }) {
      spec.replicas = 0;
    },
    initialStatus: {},
    statusKeeps: ["metadata.labels"],
    // Annotations count too: replica sets take them over.
    generation: { spec: DeploymentSpec, "metadata.annotations": sameMap },
    prepare: ({ spec }, old, write) =>
      dropDisabledPodFields(spec.template.spec, old?.spec.template.spec, write),
    afterDecode({ metadata }) {
      tidyRollbackTo(metadata);
    },
    warnings: templateWarnings,
  },
  columns: [
    nameColumn,
    {
      name: "Ready",
      type: "string",
      description: "Number of the pod with ready state",
      cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}`,
    },
    {
      name: "Up-to-date",
      type: "string",
      description:
        "Total number of non-terminating pods targeted by this deployment that have the desired template spec.",
      cell: ({ status }) => status.updatedReplicas ?? 0,
    },
    {
      name: "Available",
      type: "string",
      description:
        "Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.",
      cell: ({ status }) => status.availableReplicas ?? 0,
    },
    ageColumn,
    containersColumn,
    imagesColumn,
    {
      name: "Selector",
      type: "string",
      wide: true,
      description:
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.",
      cell: ({ spec }) => selectorCell(spec.selector),
    },
  ],
});
export interface Deployment extends ObjectOf<typeof Deployment> {}

function selectorCell(selector: LabelSelector | undefined): string {
  try {
    return formatLabelSelector(labelSelector(selector));
  } catch {
    return "<invalid>";
  }
}
