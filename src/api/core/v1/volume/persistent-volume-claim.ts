import { value } from "../../../../schema/language/field.ts";
import { At } from "../../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { validateLabelSelector } from "../../../meta/v1/label-selector.ts";
import { persistentVolumeClaimColumns } from "./persistent-volume-claim-columns.ts";
import { completeDataSources, dropDataSources } from "./persistent-volume-claim-data-source.ts";
import {
  type ClaimSpecOptions,
  claimSpecWarnings,
  PersistentVolumeClaimSpec,
  validateClaimSpec,
} from "./persistent-volume-claim-spec.ts";
import {
  PersistentVolumeClaimStatus,
  validateClaimStatus,
} from "./persistent-volume-claim-status.ts";
import { validateClaimUpdate } from "./persistent-volume-claim-update.ts";
import { storageClassAnnotationWarnings } from "./storage-class-annotation.ts";

export const PersistentVolumeClaim = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  doc: "Asks for storage, and stands for it once a volume is bound.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, PersistentVolumeClaimSpec).doc("What the claim asks of a volume."),
    status: value(3, PersistentVolumeClaimStatus).doc("What is known of the claim."),
  },
  subresources: ["status"],
  defaults({ status }) {
    status.phase ||= "Pending";
  },
  rules: [({ spec }, at) => validateClaimSpec(spec, at.child("spec"))],
  updateRules(claim, old, { at, metadata }) {
    metadata();
    validateClaimSpec(claim.spec, at.child("spec"), optionsFor(old.spec));
    validateClaimUpdate(claim, old, at);
  },
  statusRules({ metadata, spec, status }, _old, { at }) {
    if (!metadata.resourceVersion) at.required("resourceVersion");
    if (!spec.accessModes?.length) at.required("Spec.accessModes");
    validateClaimStatus(status, at.child("status"));
  },
  strategy: {
    initialStatus: { phase: "Pending" },
    prepare({ spec }, old) {
      dropDataSources(spec, old?.spec);
      completeDataSources(spec);
    },
    deleteReturnsObject: true,
    warnings: ({ metadata, spec }) => [
      ...storageClassAnnotationWarnings(metadata),
      ...claimSpecWarnings(spec, "spec"),
    ],
  },
  columns: persistentVolumeClaimColumns,
});
export interface PersistentVolumeClaim extends ObjectOf<typeof PersistentVolumeClaim> {}

/** What the stored claim has already, an update may keep. */
function optionsFor({
  selector,
  dataSource,
  dataSourceRef,
}: PersistentVolumeClaimSpec): ClaimSpecOptions {
  const report = At.root();
  validateLabelSelector(selector, report);
  return {
    allowInvalidLabelValueInSelector: report.errors.length > 0,
    allowInvalidApiGroupInDataSource:
      typeof dataSource?.apiGroup === "string" || typeof dataSourceRef?.apiGroup === "string",
  };
}
