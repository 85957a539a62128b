import { bytes, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { typeMeta } from "../../meta/v1/type-meta.ts";

/** No resource: the form in which servers share out a range, such as that of node ports, in the store. */
export const RangeAllocation = struct("io.k8s.api.core.v1.RangeAllocation", {
  ...typeMeta,
  metadata: value(1, ObjectMeta).doc("Name and version."),
  range: string(2).always().expected().doc("The range that is shared out."),
  data: bytes(3).always().expected().doc("A bit for each member of the range that is taken."),
}).doc("Which members of a range are taken.");
export interface RangeAllocation extends Infer<typeof RangeAllocation> {}
