import { bool, mapOf, message, string, strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { stringType, wrappedListType } from "../../../schema/language/type.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import {
  NonResourceAttributes,
  ResourceAttributes,
  validateOneRequest,
  validateSelectors,
} from "./access-attributes.ts";

export const SubjectAccessReviewSpec = struct(
  "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
  {
    resourceAttributes: message(1, ResourceAttributes).doc("The request, if it is for a resource."),
    nonResourceAttributes: message(2, NonResourceAttributes).doc(
      "The request, if it is for a path.",
    ),
    user: string(3).doc("The user who would make the request."),
    groups: strings(4).atomic().doc("The groups that the user is in."),
    extra: mapOf(5, wrappedListType(stringType, "v1.ExtraValue")).doc(
      "What else is known of the user, by key.",
    ),
    uid: string(6).doc("The uid of the user."),
  },
).doc("A request, and who would make it.");
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

export const SubjectAccessReviewStatus = struct(
  "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
  {
    allowed: bool(1).always().expected().doc("Whether the request would be allowed."),
    denied: bool(4).doc("Whether it would be denied, whatever other authorizers say."),
    reason: string(2).doc("Why."),
    evaluationError: string(3).doc("What went wrong while the answer was sought."),
  },
).doc("Whether a request would be allowed.");
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}

/** The rules of a request and of who would make it. */
export function validateSubjectAccessReviewSpec(spec: SubjectAccessReviewSpec, at: At): void {
  validateOneRequest(spec, at);
  if (!spec.user && (spec.groups ?? []).length === 0)
    at.invalid("user", "", "at least one of user or group must be specified");
  validateSelectors(spec.resourceAttributes, at.child("resourceAttributes"));
}

/** Whether nothing stands in the metadata; managed fields do not count. */
export const isEmptyMetadata = (metadata: ObjectMeta): boolean =>
  Object.entries(metadata).every(([field, value]) => field === "managedFields" || isEmpty(value));

const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === "object" && Object.keys(value).length === 0);
