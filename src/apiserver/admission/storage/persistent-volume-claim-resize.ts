import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { storageClassOf } from "../../../api/core/v1/volume/storage-class-annotation.ts";
import { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../../schema/values/quantity.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";

/** A claim can grow only if it has a volume and if its class allows expansion. */
export function persistentVolumeClaimResize({
  reader,
}: Pick<PluginSetup, "reader">): AdmissionPlugin {
  const canGrow = async (name: string): Promise<boolean> => {
    const found = name === "" ? undefined : await reader.get(StorageClass, { name });
    return found?.allowVolumeExpansion ?? false;
  };
  return {
    name: "PersistentVolumeClaimResize",
    operations: ["UPDATE"],
    resources: ["/persistentvolumeclaims"],

    async validate(attributes) {
      const claim = objectOf(PersistentVolumeClaim, attributes);
      const before = oldOf(PersistentVolumeClaim, attributes);
      if (compareQuantities(sizeOf(claim), sizeOf(before)) <= 0) return;
      if (before.status?.phase !== "Bound")
        throw rejection(attributes, "Only bound persistent volume claims can be expanded");
      const name = classOf(claim);
      if (name !== classOf(before) || !(await canGrow(name)))
        throw rejection(
          attributes,
          "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
        );
    },
  };
}

const sizeOf = ({ spec }: PersistentVolumeClaim): Quantity =>
  parseQuantity(`${spec.resources?.requests?.storage ?? "0"}`);

const classOf = ({ metadata, spec }: PersistentVolumeClaim): string =>
  storageClassOf(metadata, spec.storageClassName);
