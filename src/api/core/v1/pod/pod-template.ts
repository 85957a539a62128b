import { value } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { dropInitContainerAnnotations } from "./pod-annotations.ts";
import { PodSpec } from "./pod-spec.ts";

export const PodTemplateSpec = struct("io.k8s.api.core.v1.PodTemplateSpec", {
  metadata: value(1, ObjectMeta).doc("Labels and annotations of the pods."),
  spec: value(2, PodSpec).doc("What the pods are to be."),
})
  .doc("What pods are made from.")
  .validatedElsewhere()
  .defaults((template) => {
    if (template.metadata) dropInitContainerAnnotations(template.metadata);
  });
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}
