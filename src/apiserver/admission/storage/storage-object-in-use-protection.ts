import type { AdmissionPlugin } from "../admission.ts";

/** The finalizer that holds an object while it is in use, by group and plural. */
const finalizers: Readonly<Record<string, string>> = {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

/** Volumes and claims are not removed while they are in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  operations: ["CREATE"],

  admit({ address: { kind }, object: { metadata } }) {
    const finalizer = finalizers[`${kind.group}/${kind.plural}`];
    if (finalizer === undefined || metadata.finalizers?.includes(finalizer)) return;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};
