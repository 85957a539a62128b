import {
  bool,
  bytes,
  message,
  named,
  raw,
  string,
  stringMap,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { UserInfo } from "../../authentication/v1/user-info.ts";
import { Status } from "../../meta/v1/status.ts";
import { typeMeta } from "../../meta/v1/type-meta.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

export const GroupVersionKind = struct(`${meta}.GroupVersionKind`, {
  group: string(1).always().expected().doc("The API group."),
  version: string(2).always().expected().doc("The version of the group."),
  kind: string(3).always().expected().doc("The kind."),
}).doc("A kind in a version of its group.");
export interface GroupVersionKind extends Infer<typeof GroupVersionKind> {}

export const GroupVersionResource = struct(`${meta}.GroupVersionResource`, {
  group: string(1).always().expected().doc("The API group."),
  version: string(2).always().expected().doc("The version of the group."),
  resource: string(3).always().expected().doc("The resource."),
}).doc("A resource in a version of its group.");
export interface GroupVersionResource extends Infer<typeof GroupVersionResource> {}

export const AdmissionRequest = struct("io.k8s.api.admission.v1.AdmissionRequest", {
  uid: named(1, "types.UID").always().expected().doc("Names the question; the answer repeats it."),
  kind: value(2, GroupVersionKind).expected().doc("The kind of the object as it is sent."),
  resource: value(3, GroupVersionResource).expected().doc("The resource as it is asked about."),
  subResource: string(4).doc("The subresource, if one is written."),
  requestKind: message(13, GroupVersionKind).doc(
    "The kind of the original request, which may have been converted.",
  ),
  requestResource: message(14, GroupVersionResource).doc("The resource of the original request."),
  requestSubResource: string(15).doc("The subresource of the original request."),
  name: string(5).doc("The name of the object, if it is known already."),
  namespace: string(6).doc("The namespace of the request, if any."),
  operation: named(7, "v1.Operation")
    .always()
    .expected()
    .known("CREATE", "UPDATE", "DELETE", "CONNECT")
    .doc("What is done."),
  userInfo: value(8, UserInfo).expected().doc("Who does it."),
  object: raw(9).nullable().doc("The object of the request."),
  oldObject: raw(10).nullable().doc("The object as it is, in updates and deletions."),
  dryRun: bool(11).pointer().doc("Whether nothing will come of it."),
  options: raw(12).nullable().doc("The options of the request."),
}).doc("A request that a webhook is asked about.");
export interface AdmissionRequest extends Infer<typeof AdmissionRequest> {}

export const AdmissionResponse = struct("io.k8s.api.admission.v1.AdmissionResponse", {
  uid: named(1, "types.UID").always().expected().doc("The uid of the question."),
  allowed: bool(2).always().expected().doc("Whether the request may go on."),
  status: message(3, Status).doc("Why not, if it may not."),
  patch: bytes(4).doc("How to change the object: a JSON patch."),
  patchType: named(5, "v1.PatchType")
    .pointer()
    .known("JSONPatch")
    .doc("The kind of the patch: JSONPatch."),
  auditAnnotations: stringMap(6).doc("What to note in the audit log, by key."),
  warnings: strings(7).atomic().doc("What to tell the client although all is well."),
}).doc("What a webhook answers.");
export interface AdmissionResponse extends Infer<typeof AdmissionResponse> {}

export const AdmissionReview = struct("io.k8s.api.admission.v1.AdmissionReview", {
  ...typeMeta,
  request: message(1, AdmissionRequest).doc("The question."),
  response: message(2, AdmissionResponse).doc("The answer."),
}).doc("A question to an admission webhook, and its answer.");
export interface AdmissionReview extends Infer<typeof AdmissionReview> {}
