import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { storageClassAnnotation } from "../../../api/core/v1/volume/storage-class-annotation.ts";
import { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { defaultClass } from "../default-class.ts";
import type { PluginSetup } from "../plugins.ts";
import { draftOf } from "../typed-attributes.ts";

const isDefault = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** A new claim that names no class, not even the empty one, has the default one. */
export function defaultStorageClass({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    operations: ["CREATE"],
    resources: ["/persistentvolumeclaims"],

    async admit(attributes) {
      const { metadata, spec } = draftOf(PersistentVolumeClaim, attributes);
      if (spec.storageClassName !== undefined) return;
      if (metadata.annotations?.[storageClassAnnotation] !== undefined) return;
      const name = await defaultClass(reader, StorageClass, isDefault);
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
