import { value } from "../../../schema/language/field.ts";
import { type Struct, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { validateTemplateMeta } from "../../core/v1/volume/persistent-volume-claim-template.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { validateDeviceClaim } from "./device-claim-validation.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";
import { define, group, inEachVersion, nameIn, type Version } from "./versions.ts";

/** What claims are made from, in a version whose claims look like this. */
export const templateSpecOf = <T, I>(version: Version, claim: Struct<T, I>) =>
  struct(nameIn(version, "ResourceClaimTemplateSpec"), {
    metadata: value(1, ObjectMeta).doc("Labels and annotations of the claims."),
    spec: value(2, claim).expected().doc("What the claims ask for."),
  }).doc("What claims are made from.");

const templateSpec = inEachVersion((version) =>
  templateSpecOf(version, resourceClaimSpec(version)),
);

/** The kind in a version. */
export const resourceClaimTemplate = (version: Version) =>
  define({
    group,
    version,
    kind: "ResourceClaimTemplate",
    plural: "resourceclaimtemplates",
    scope: "Namespaced",
    doc: "What the claims of pods are made from, where each pod has one of its own.",
    name: nameIsDnsSubdomain,
    fields: {
      spec: value(2, templateSpec(version)).expected().doc("What claims are made from."),
    },
    rules: [
      ({ spec }, at) => {
        const here = at.child("spec");
        validateTemplateMeta(spec.metadata, here.child("metadata"));
        validateDeviceClaim(spec.spec.devices, here.child("spec").child("devices"));
      },
    ],
    firstUpdateRules: (_template, _old, { create }) => create(),
    updateRules({ spec }, old, { at }) {
      if (!semanticEqual(templateSpec("v1"), spec, old.spec))
        at.invalid("spec", internalForm(templateSpec("v1"), spec), "field is immutable");
    },
    strategy: { deleteReturnsObject: true },
    columns: [nameColumn, ageColumn],
  });

export const ResourceClaimTemplate = kind(resourceClaimTemplate("v1"));
export interface ResourceClaimTemplate extends ObjectOf<typeof ResourceClaimTemplate> {}
