import { raw, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const WatchEvent = struct("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent", {
  type: string(1)
    .always()
    .expected()
    .known("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
    .doc("What happened."),
  object: raw(2)
    .always()
    .expected()
    .doc("The object as it is now, or was last; of an error, the Status."),
}).doc("One change that a watch tells of.");
export interface WatchEvent extends Infer<typeof WatchEvent> {}
