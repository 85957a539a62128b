import { value } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { validateAnnotations, validateLabels } from "../../../meta/v1/object-meta-validation.ts";
import { PersistentVolumeClaimSpec, validateClaimSpec } from "./persistent-volume-claim-spec.ts";

export const PersistentVolumeClaimTemplate = struct(
  "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
  {
    metadata: value(1, ObjectMeta).doc("Labels and annotations of the claim."),
    spec: value(2, PersistentVolumeClaimSpec).expected().doc("What the claim asks for."),
  },
).doc("What the claim of an ephemeral volume is made from.");
export interface PersistentVolumeClaimTemplate
  extends Infer<typeof PersistentVolumeClaimTemplate> {}

export function validateClaimTemplate(template: PersistentVolumeClaimTemplate, at: At): void {
  validateTemplateMeta(template.metadata, at.child("metadata"));
  validateClaimSpec(template.spec, at.child("spec"));
}

/** The metadata of a template whose objects take over its labels and annotations alone. */
export function validateTemplateMeta(meta: ObjectMeta, at: At): void {
  validateAnnotations(meta.annotations, at.child("annotations"));
  validateLabels(meta.labels, at.child("labels"));
  for (const field of Object.keys(ObjectMeta.fields) as (keyof ObjectMeta)[])
    if (field !== "labels" && field !== "annotations" && meta[field] !== undefined)
      // Upstream lowers the first letter of Go's name, which for one of them is not JSON's.
      at.forbidden(field === "uid" ? "uID" : field, "cannot be set");
}
