import { value } from "../../../schema/language/field.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { NonResourceAttributes } from "./access-attributes.ts";
import {
  isEmptyMetadata,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
  validateSubjectAccessReviewSpec,
} from "./subject-access-review-spec.ts";

export const LocalSubjectAccessReview = kind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  scope: "Namespaced",
  verbs: ["create"],
  isStored: false,
  doc: "Asks whether a user may make a request in this namespace.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, SubjectAccessReviewSpec).expected().doc("The request that is asked about."),
    status: value(3, SubjectAccessReviewStatus).doc("The answer."),
  },
  rules: [
    ({ spec }, at) => validateSubjectAccessReviewSpec(spec, at.child("spec")),
    ({ metadata }, at) => {
      if (!isEmptyMetadata({ ...metadata, namespace: undefined }))
        at.invalid(
          "metadata",
          canonicalise(ObjectMeta, metadata),
          "must be empty except for namespace",
        );
    },
    ({ metadata, spec }, at) => {
      const { resourceAttributes, nonResourceAttributes } = spec;
      const namespace = resourceAttributes?.namespace ?? "";
      if (resourceAttributes && namespace !== (metadata.namespace ?? ""))
        at.invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace");
      if (nonResourceAttributes)
        at.invalid(
          "spec.nonResourceAttributes",
          internalForm(NonResourceAttributes, nonResourceAttributes),
          "disallowed on this kind of request",
        );
    },
  ],
});
export interface LocalSubjectAccessReview extends ObjectOf<typeof LocalSubjectAccessReview> {}
