import { bool, int32, message, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { LocalObjectReference } from "../../object-reference.ts";
import { requiredFields } from "./required-fields.ts";

export const GCEPersistentDiskVolumeSource = struct(
  "io.k8s.api.core.v1.GCEPersistentDiskVolumeSource",
  {
    pdName: string(1).always().expected().doc("Name of the disk."),
    fsType: string(2).doc("The file system that is mounted."),
    partition: int32(3).doc("The partition that is mounted; without it, the disk as a whole."),
    readOnly: bool(4).doc("Whether it is mounted read-only."),
  },
).doc("A disk of Google Compute Engine.");
export interface GCEPersistentDiskVolumeSource
  extends Infer<typeof GCEPersistentDiskVolumeSource> {}

export function validateGcePersistentDisk(source: GCEPersistentDiskVolumeSource, at: At): void {
  if (!source.pdName) at.required("pdName");
  validatePartition(source.partition, at);
}

export const AWSElasticBlockStoreVolumeSource = struct(
  "io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource",
  {
    volumeID: string(1).always().expected().doc("Identifier of the volume."),
    fsType: string(2).doc("The file system that is mounted."),
    partition: int32(3).doc("The partition that is mounted; without it, the volume as a whole."),
    readOnly: bool(4).doc("Whether it is mounted read-only."),
  },
).doc("A volume of AWS Elastic Block Store.");
export interface AWSElasticBlockStoreVolumeSource
  extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

export function validateAwsElasticBlockStore(
  source: AWSElasticBlockStoreVolumeSource,
  at: At,
): void {
  if (!source.volumeID) at.required("volumeID");
  validatePartition(source.partition, at);
}

function validatePartition(partition = 0, at: At): void {
  // 0 passes: it stands for the whole disk.
  if (partition < 0 || partition > 255)
    at.invalid("partition", partition, "must be between 1 and 255, inclusive");
}

export const CinderVolumeSource = struct("io.k8s.api.core.v1.CinderVolumeSource", {
  volumeID: string(1).always().expected().doc("Identifier of the volume."),
  fsType: string(2).doc("The file system that is mounted."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
  secretRef: message(4, LocalObjectReference).doc("The secret to connect to OpenStack with."),
}).doc("A volume of OpenStack Cinder.");
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

export function validateCinder({ volumeID, secretRef }: CinderVolumeSource, at: At): void {
  if (!volumeID) at.required("volumeID");
  if (secretRef && !secretRef.name) at.required("secretRef.name");
}

export const VsphereVirtualDiskVolumeSource = struct(
  "io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource",
  {
    volumePath: string(1).always().expected().doc("Path of the virtual disk."),
    fsType: string(2).doc("The file system that is mounted."),
    storagePolicyName: string(3).doc("Name of the storage policy."),
    storagePolicyID: string(4).doc("Identifier of the storage policy."),
  },
).doc("A virtual disk of vSphere.");
export interface VsphereVirtualDiskVolumeSource
  extends Infer<typeof VsphereVirtualDiskVolumeSource> {}

export const validateVsphereVolume = requiredFields<VsphereVirtualDiskVolumeSource>("volumePath");

export const PhotonPersistentDiskVolumeSource = struct(
  "io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource",
  {
    pdID: string(1).always().expected().doc("Identifier of the disk."),
    fsType: string(2).doc("The file system that is mounted."),
  },
).doc("A disk of Photon; no longer supported by nodes.");
export interface PhotonPersistentDiskVolumeSource
  extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

export const validatePhotonPersistentDisk =
  requiredFields<PhotonPersistentDiskVolumeSource>("pdID");
