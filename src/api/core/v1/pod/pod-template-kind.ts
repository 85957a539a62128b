import { value } from "../../../../schema/language/field.ts";
import { At } from "../../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { nameColumn } from "../../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { formatLabels } from "../service/service-columns.ts";
import { dropDisabledPodFields } from "./pod-disabled-fields.ts";
import { PodTemplateSpec } from "./pod-template.ts";
import { podValidationOptions } from "./validation/pod-ratcheting.ts";
import { validatePodTemplateSpec } from "./validation/pod-template-validation.ts";
import { podTemplateWarnings } from "./validation/pod-warnings.ts";

export const PodTemplate = kind({
  group: "",
  version: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
  doc: "A template that pods can be made from.",
  name: nameIsDnsSubdomain,
  fields: {
    template: value(2, PodTemplateSpec).doc("What pods made from it are to be."),
  },
  rules: [
    ({ template }, at) =>
      validatePodTemplateSpec(template, at.child("template"), podValidationOptions()),
  ],
  updateRules({ template }, old, { at }) {
    const options = podValidationOptions(old.template);
    validatePodTemplateSpec(template, at.child("template"), options);
  },
  strategy: {
    generation: { template: PodTemplateSpec },
    prepare: ({ template }, old, write) =>
      dropDisabledPodFields(template.spec, old?.template.spec, write),
    deleteReturnsObject: true,
    warnings({ metadata, template }, old) {
      if (old && metadata.generation === old.metadata.generation) return [];
      return podTemplateWarnings(template, At.root().child("template"));
    },
  },
  columns: [
    nameColumn,
    {
      name: "Containers",
      type: "string",
      description: "Names of each container in the template.",
      cell: ({ template }) => (template.spec.containers ?? []).map(({ name }) => name).join(","),
    },
    {
      name: "Images",
      type: "string",
      description: "Images referenced by each container in the template.",
      cell: ({ template }) =>
        (template.spec.containers ?? []).map(({ image }) => image ?? "").join(","),
    },
    {
      name: "Pod Labels",
      type: "string",
      description: "The labels for the pod template.",
      cell: ({ template }) => formatLabels(template.metadata.labels),
    },
  ],
});
export interface PodTemplate extends ObjectOf<typeof PodTemplate> {}
