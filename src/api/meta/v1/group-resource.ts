import { string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const GroupResource = struct("io.k8s.apimachinery.pkg.apis.meta.v1.GroupResource", {
  group: string(1).always().expected().doc("API group of the resource; empty for the core group."),
  resource: string(2).always().expected().doc("The resource, in the plural."),
}).doc("Names a resource in all its versions.");
export interface GroupResource extends Infer<typeof GroupResource> {}
