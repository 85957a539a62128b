import { message, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import {
  NonResourceAttributes,
  ResourceAttributes,
  validateOneRequest,
  validateSelectors,
} from "./access-attributes.ts";
import { isEmptyMetadata, SubjectAccessReviewStatus } from "./subject-access-review-spec.ts";

export const SelfSubjectAccessReviewSpec = struct(
  "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
  {
    resourceAttributes: message(1, ResourceAttributes).doc("The request, if it is for a resource."),
    nonResourceAttributes: message(2, NonResourceAttributes).doc(
      "The request, if it is for a path.",
    ),
  },
).doc("A request that the asking user would make.");
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

export const SelfSubjectAccessReview = kind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  scope: "Cluster",
  verbs: ["create"],
  isStored: false,
  doc: "Asks whether the asking user may make a request.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, SelfSubjectAccessReviewSpec).expected().doc("The request that is asked about."),
    status: value(3, SubjectAccessReviewStatus).doc("The answer."),
  },
  rules: [
    ({ spec }, at) => {
      validateOneRequest(spec, at.child("spec"));
      validateSelectors(spec.resourceAttributes, at.child("spec").child("resourceAttributes"));
    },
    ({ metadata }, at) => {
      if (!isEmptyMetadata(metadata)) at.invalid("metadata", metadata, "must be empty");
    },
  ],
});
export interface SelfSubjectAccessReview extends ObjectOf<typeof SelfSubjectAccessReview> {}
