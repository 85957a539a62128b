import { value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { UserInfo } from "./user-info.ts";

export const SelfSubjectReviewStatus = struct(
  "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
  { userInfo: value(1, UserInfo).doc("The user who asks.") },
).doc("Who asks.");
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

export const SelfSubjectReview = kind({
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
  verbs: ["create"],
  isStored: false,
  doc: "Asks who the server takes the asking user for.",
  name: pathSegmentName,
  metadataRules: false,
  fields: { status: value(2, SelfSubjectReviewStatus).doc("The answer.") },
});
export interface SelfSubjectReview extends ObjectOf<typeof SelfSubjectReview> {}
