import { list, message, string, value } from "../../../schema/language/field.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { sameValue, validateAt } from "../../../schema/language/validate.ts";
import {
  isLongName,
  isShortName,
  nameIsDnsSubdomain,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { dropDisabledFields } from "./disabled-fields.ts";
import {
  gatedFields,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
} from "./pod-group-spec.ts";

const prefix = "io.k8s.api.scheduling.v1alpha2";

export const TypedLocalObjectReference = struct(`${prefix}.TypedLocalObjectReference`, {
  apiGroup: string(1).as(isLongName).doc("The group of the object; none for the core group."),
  kind: string(2)
    .always()
    .required()
    .as((kind) => pathSegmentName(kind))
    .doc("Its kind."),
  name: string(3)
    .always()
    .required()
    .as((name) => pathSegmentName(name))
    .doc("Its name."),
}).doc("Names an object of the same namespace.");
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

export const PodGroupTemplate = struct(`${prefix}.PodGroupTemplate`, {
  name: string(1).always().required().as(isShortName).doc("The name of the template."),
  schedulingPolicy: value(2, PodGroupSchedulingPolicy)
    .expected()
    .doc("How the pods are scheduled."),
  schedulingConstraints: message(3, PodGroupSchedulingConstraints)
    .nullable()
    .doc("Where they may be scheduled."),
  ...gatedFields,
}).doc("What groups of pods of a workload look like.");
export interface PodGroupTemplate extends Infer<typeof PodGroupTemplate> {}

export const WorkloadSpec = struct(`${prefix}.WorkloadSpec`, {
  controllerRef: message(1, TypedLocalObjectReference).doc("What the workload was made for."),
  podGroupTemplates: list(2, PodGroupTemplate)
    .always()
    .expected()
    .mapKeys("name")
    .doc("What its groups of pods look like."),
})
  .validatedElsewhere()
  .doc("The groups of pods of a workload.");
export interface WorkloadSpec extends Infer<typeof WorkloadSpec> {}

export const Workload = kind({
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  kind: "Workload",
  plural: "workloads",
  scope: "Namespaced",
  stability: "alpha",
  doc: "An application whose pods are scheduled in groups.",
  name: nameIsDnsSubdomain,
  fields: { spec: value(2, WorkloadSpec).expected().doc("Its groups of pods.") },
  rules: [
    ({ spec }, at) => {
      const { controllerRef, podGroupTemplates } = spec;
      const here = at.child("spec");
      if (controllerRef)
        validateAt(TypedLocalObjectReference, controllerRef, here.child("controllerRef"));
      validateTemplates(podGroupTemplates ?? [], here.child("podGroupTemplates"));
    },
  ],
  updateRules({ spec }, old, { at }) {
    const here = at.child("spec");
    if (!sameValue(spec.controllerRef, old.spec.controllerRef))
      here.invalid("controllerRef", null, "field is immutable");
    if (sameValue(spec.podGroupTemplates, old.spec.podGroupTemplates)) return;
    here.invalid("podGroupTemplates", null, "field is immutable");
    validateCount(spec.podGroupTemplates ?? [], here.child("podGroupTemplates"));
  },
  strategy: {
    prepare({ spec }, old) {
      for (const [i, template] of (spec.podGroupTemplates ?? []).entries())
        dropDisabledFields(template, old?.spec.podGroupTemplates?.[i]);
    },
  },
  columns: [nameColumn, ageColumn],
});
export interface Workload extends ObjectOf<typeof Workload> {}

const maxTemplates = 8;

function validateTemplates(templates: readonly PodGroupTemplate[], at: At): void {
  if (!validateCount(templates, at)) return;
  for (const [i, template] of templates.entries())
    if (templates.findIndex(({ name }) => name === template.name) < i)
      at.duplicate(`[${i}]`, canonicalise(PodGroupTemplate, template));
  for (const [i, template] of templates.entries())
    validateAt(PodGroupTemplate, template, at.index(i));
}

function validateCount(templates: readonly PodGroupTemplate[], at: At): boolean {
  if (templates.length > maxTemplates) at.tooMany("", templates.length, maxTemplates);
  else if (templates.length === 0) at.required();
  else return true;
  return false;
}
