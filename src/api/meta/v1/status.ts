import { int32, list, message, named, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { ListMeta } from "./list-meta.ts";
import { typeMeta } from "./type-meta.ts";

export const StatusCause = struct("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause", {
  reason: named(1, "v1.CauseType")
    .known(
      "FieldValueNotFound",
      "FieldValueRequired",
      "FieldValueDuplicate",
      "FieldValueInvalid",
      "FieldValueNotSupported",
      "FieldValueForbidden",
      "FieldValueTooLong",
      "FieldValueTooMany",
      "InternalError",
      "FieldValueTypeInvalid",
      "UnexpectedServerResponse",
      "FieldManagerConflict",
      "ResourceVersionTooLarge",
    )
    .doc("What kind of fault it is, for machines."),
  message: string(2).doc("What is wrong, for people."),
  field: string(3).doc("The path of the field at fault, such as `spec.ports[0].name`."),
}).doc("One of the faults that made a request fail.");
export interface StatusCause extends Infer<typeof StatusCause> {}

export const StatusDetails = struct("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails", {
  name: string(1).doc("Name of the object the request was about."),
  group: string(2).doc("API group of that object."),
  kind: string(3).doc("Kind, or resource, of that object."),
  uid: named(6, "types.UID").doc("UID of that object."),
  causes: list(4, StatusCause).atomic().doc("Each of the faults."),
  retryAfterSeconds: int32(5).doc("Seconds to wait before the request is tried again."),
}).doc("What else is known of an answer, beyond its message.");
export interface StatusDetails extends Infer<typeof StatusDetails> {}

export const Status = struct("io.k8s.apimachinery.pkg.apis.meta.v1.Status", {
  ...typeMeta,
  metadata: value(1, ListMeta).doc("Carries `continue` where a list has expired."),
  status: string(2).doc("Success or Failure."),
  message: string(3).doc("What happened, for people."),
  reason: named(4, "v1.StatusReason")
    .known(
      "",
      "Unauthorized",
      "Forbidden",
      "NotFound",
      "AlreadyExists",
      "Conflict",
      "Gone",
      "Invalid",
      "ServerTimeout",
      "StorageReadError",
      "Timeout",
      "TooManyRequests",
      "BadRequest",
      "MethodNotAllowed",
      "NotAcceptable",
      "RequestEntityTooLarge",
      "UnsupportedMediaType",
      "InternalError",
      "Expired",
      "ServiceUnavailable",
    )
    .doc("Why the request failed, for machines."),
  details: message(5, StatusDetails).doc("What it was about, and each of the faults."),
  code: int32(6).doc("The HTTP status that goes with it."),
}).doc("The answer to a request that returns no object.");
export interface Status extends Infer<typeof Status> {}
