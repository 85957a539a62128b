import { value } from "../../../schema/language/field.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  isEmptyMetadata,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
  validateSubjectAccessReviewSpec,
} from "./subject-access-review-spec.ts";

export const SubjectAccessReview = kind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  scope: "Cluster",
  verbs: ["create"],
  isStored: false,
  doc: "Asks whether a user may make a request.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, SubjectAccessReviewSpec).expected().doc("The request that is asked about."),
    status: value(3, SubjectAccessReviewStatus).doc("The answer."),
  },
  rules: [
    ({ spec }, at) => validateSubjectAccessReviewSpec(spec, at.child("spec")),
    ({ metadata }, at) => {
      if (!isEmptyMetadata(metadata)) at.invalid("metadata", metadata, "must be empty");
    },
  ],
});
export interface SubjectAccessReview extends ObjectOf<typeof SubjectAccessReview> {}
