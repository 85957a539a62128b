import type { AdmissionPlugin } from "../admission.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";

/** A group of pods is not removed while there are pods of it. */
export const podGroupProtection: AdmissionPlugin = {
  name: "PodGroupProtection",
  operations: ["CREATE"],
  resources: ["scheduling.k8s.io/podgroups"],

  admit({ object: { metadata } }) {
    if (metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};
