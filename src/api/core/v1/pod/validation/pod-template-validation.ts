import type { At } from "../../../../../schema/language/report.ts";
import { validateAnnotations, validateLabels } from "../../../../meta/v1/object-meta-validation.ts";
import type { PodTemplateSpec } from "../pod-template.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotation-validation.ts";
import { validatePodSpec } from "./pod-spec-validation.ts";
import type { PodValidationOptions } from "./pod-validation-options.ts";

/** The rules of what pods are made from. */
export function validatePodTemplateSpec(
  { metadata, spec }: PodTemplateSpec,
  at: At,
  options: PodValidationOptions = {},
): void {
  validateLabels(metadata.labels, at.child("labels"));
  validateAnnotations(metadata.annotations, at.child("annotations"));
  validatePodAnnotations(metadata.annotations, at.child("annotations"), { spec, options });
  validatePodSpec(spec, at.child("spec"), { options });
  validateProfilesMatch(metadata, spec, at.child("spec"));
  if (spec.ephemeralContainers?.length)
    at.forbidden("spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
}
