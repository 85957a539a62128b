import type { KubernetesObject } from "../../client/resource-kind.ts";
import { type ListProperty, list, struct } from "./containers.ts";
import { int64, PlainProperty, string, time } from "./scalars.ts";

/** An object of any kind, with its own apiVersion and kind. */
export const embeddedObject = (): PlainProperty<
  Pick<KubernetesObject, "apiVersion" | "kind"> & { readonly [member: string]: unknown }
> =>
  new PlainProperty({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });

const condition = struct({
  type: string()
    .max(316)
    .pattern(
      "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    )
    .doc("What the condition is about.")
    .required(),
  status: string().values("True", "False", "Unknown").doc("Whether it holds.").required(),
  observedGeneration: int64().min(0).doc("The generation of the object that was looked at."),
  lastTransitionTime: time().doc("When the status last changed.").required(),
  reason: string()
    .min(1)
    .max(1024)
    .pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
    .doc("Why it last changed, for machines.")
    .required(),
  message: string().max(32_768).doc("Why it last changed, for people.").required(),
}).doc("One aspect of the state of the object.");

/** The conditions of a status, which `withCondition` of `wherry/controller` sets. */
export const conditions = (): ListProperty<
  (typeof condition)["$value"],
  (typeof condition)["$input"]
> => list(condition).keyedBy("type").doc("Aspects of the state of the object.");
