import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { storageClassAnnotation } from "../../../api/core/v1/volume/storage-class-annotation.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import type { Resources } from "../../objects/resources.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { defaultClass } from "../default-class.ts";
import type { Cluster } from "../plugins.ts";

const isDefault = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** A new claim that names no class, not even the empty one, has the default one. */
export function defaultStorageClass(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    operations: ["CREATE"],
    resources: ["/persistentvolumeclaims"],

    async admit({ object }) {
      const { metadata, spec } = object as unknown as Draft<PersistentVolumeClaim>;
      const classes = resources.find("storage.k8s.io", "v1", "storageclasses");
      if (!classes || spec.storageClassName !== undefined) return;
      if (metadata.annotations?.[storageClassAnnotation] !== undefined) return;
      const name = await defaultClass(cluster(), classes, isDefault);
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
