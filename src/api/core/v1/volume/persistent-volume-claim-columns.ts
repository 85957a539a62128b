import type { Column } from "../../../../schema/language/kind.ts";
import { ageColumn, nameColumn } from "../../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { formatAccessModes } from "./access-modes.ts";
import type { PersistentVolumeClaimSpec } from "./persistent-volume-claim-spec.ts";
import type { PersistentVolumeClaimStatus } from "./persistent-volume-claim-status.ts";
import { storageClassOf } from "./storage-class-annotation.ts";

interface Claim {
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
  readonly status: PersistentVolumeClaimStatus;
}

export const persistentVolumeClaimColumns: readonly Column<Claim>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "phase represents the current phase of PersistentVolumeClaim.",
    cell: ({ metadata, status }) =>
      metadata.deletionTimestamp ? "Terminating" : (status.phase ?? ""),
  },
  {
    name: "Volume",
    type: "string",
    description: "volumeName is the binding reference to the PersistentVolume backing this claim.",
    cell: ({ spec }) => spec.volumeName ?? "",
  },
  {
    name: "Capacity",
    type: "string",
    description: "capacity represents the actual resources of the underlying volume.",
    cell: ({ spec, status }) => (spec.volumeName ? (status.capacity?.storage ?? "0") : ""),
  },
  {
    name: "Access Modes",
    type: "string",
    description:
      "accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1",
    cell: ({ spec, status }) => (spec.volumeName ? formatAccessModes(status.accessModes) : ""),
  },
  {
    name: "StorageClass",
    type: "string",
    description: "StorageClass of the pvc",
    cell: ({ metadata, spec }) => storageClassOf(metadata, spec.storageClassName),
  },
  {
    name: "VolumeAttributesClass",
    type: "string",
    description: "VolumeAttributesClass of the pvc",
    cell: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
  },
  ageColumn,
  {
    name: "VolumeMode",
    type: "string",
    wide: true,
    description:
      "volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.",
    cell: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
];
