import { value } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { typeMeta } from "../../../meta/v1/type-meta.ts";
import { PodStatus } from "./pod-status.ts";

/** No resource: the form in which a pod's status stands alone. */
export const PodStatusResult = struct("io.k8s.api.core.v1.PodStatusResult", {
  ...typeMeta,
  metadata: value(1, ObjectMeta).doc("Name, labels, owners and versions of the pod."),
  status: value(2, PodStatus).doc("The pod's status."),
}).doc("The status of a pod, by itself.");
export interface PodStatusResult extends Infer<typeof PodStatusResult> {}
