import type { ObjectDraft } from "../object.ts";
import type { AdmissionPlugin, Attributes } from "./admission.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";

/** A group of pods is not removed while there are pods of it. */
export const podGroupProtection: AdmissionPlugin = {
  name: "PodGroupProtection",
  operations: ["CREATE"],

  admit(attributes) {
    const { metadata } = attributes.object;
    if (!isPodGroup(attributes) || metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};

/** Whether a request is about a group of pods as a whole. */
export const isPodGroup = ({
  address: { kind },
  subresource,
}: Attributes | Attributes<ObjectDraft>): boolean =>
  kind.group === "scheduling.k8s.io" && kind.plural === "podgroups" && subresource === "";
