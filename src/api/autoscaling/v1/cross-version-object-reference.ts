import { string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const CrossVersionObjectReference = struct(
  "io.k8s.api.autoscaling.v1.CrossVersionObjectReference",
  {
    kind: string(1).always().expected().doc("The kind of the object."),
    name: string(2).always().expected().doc("Its name."),
    apiVersion: string(3).doc("The group and version of the kind."),
  },
)
  .atomic()
  .doc("Names an object of the same namespace.");
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}
