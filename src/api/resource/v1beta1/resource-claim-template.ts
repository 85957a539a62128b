import { value } from "../../../schema/language/field.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  resourceClaimTemplate,
  ResourceClaimTemplate as Stored,
  templateSpecOf,
} from "../v1/resource-claim-template.ts";
import { converted } from "./converted.ts";
import { fromStoredSpec, ResourceClaimSpec, toStoredSpec } from "./resource-claim-spec.ts";

export const ResourceClaimTemplate = kind(
  converted(resourceClaimTemplate("v1"), {
    stored: Stored,
    fields: {
      spec: value(2, templateSpecOf("v1beta1", ResourceClaimSpec))
        .expected()
        .doc("What claims are made from."),
    },
    toStored: (template) => ({
      ...template,
      apiVersion: "resource.k8s.io/v1",
      spec: { ...template.spec, spec: toStoredSpec(template.spec.spec) },
    }),
    fromStored: (template) => ({
      ...template,
      apiVersion: "resource.k8s.io/v1beta1",
      spec: { ...template.spec, spec: fromStoredSpec(template.spec.spec) },
    }),
  }),
);
export interface ResourceClaimTemplate extends ObjectOf<typeof ResourceClaimTemplate> {}
