import { message, value } from "../../../schema/language/field.ts";
import type { Kind } from "../../../schema/language/kind.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { DeleteOptions } from "../../meta/v1/options.ts";
import { typeMeta } from "../../meta/v1/type-meta.ts";
import { unlistedKind } from "../../meta/v1/unlisted-kind.ts";

export const Eviction = struct("io.k8s.api.policy.v1.Eviction", {
  ...typeMeta,
  metadata: value(1, ObjectMeta).doc("Name and namespace of the pod."),
  deleteOptions: message(2, DeleteOptions).doc("How the pod is to be deleted."),
}).doc("Asks for a pod to be deleted, as far as the budgets for disruptions allow it.");
export interface Eviction extends Infer<typeof Eviction> {}

/** What the subresource eviction of a pod takes. */
export const EvictionKind: Kind<Eviction> = unlistedKind({
  group: "policy",
  version: "v1",
  kind: "Eviction",
  struct: Eviction as Struct<Eviction>,
  alsoReads: ["policy/v1beta1"],
});
