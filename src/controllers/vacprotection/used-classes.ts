import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";

/** The attributes classes that a claim asks for, has, or is changing to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as string[];
}

/** The attributes class of a volume, if it has one. */
export const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] =>
  spec.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
