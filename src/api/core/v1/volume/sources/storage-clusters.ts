import { bool, message, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { isDns1123Label } from "../../../../../schema/values/names.ts";
import { LocalObjectReference } from "../../object-reference.ts";
import { isHostPort } from "./host-port.ts";
import { requiredFields } from "./required-fields.ts";

export const GlusterfsVolumeSource = struct("io.k8s.api.core.v1.GlusterfsVolumeSource", {
  endpoints: string(1).always().expected().doc("Name of the Endpoints object of the cluster."),
  path: string(2).always().expected().doc("The volume's path."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
}).doc("A volume of Gluster; no longer supported by nodes.");
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

export const validateGlusterfs = requiredFields<GlusterfsVolumeSource>("endpoints", "path");

export const FlockerVolumeSource = struct("io.k8s.api.core.v1.FlockerVolumeSource", {
  datasetName: string(1).doc("Name of the dataset."),
  datasetUUID: string(2).doc("Identifier of the dataset."),
}).doc("A dataset of Flocker; no longer supported by nodes.");
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

export function validateFlocker(
  { datasetName = "", datasetUUID = "" }: FlockerVolumeSource,
  at: At,
): void {
  if (!datasetName && !datasetUUID)
    at.required("", "one of datasetName and datasetUUID is required");
  if (datasetName && datasetUUID)
    at.invalid("", "resource", "datasetName and datasetUUID can not be specified simultaneously");
  if (datasetName.includes("/")) at.invalid("datasetName", datasetName, "must not contain '/'");
}

export const QuobyteVolumeSource = struct("io.k8s.api.core.v1.QuobyteVolumeSource", {
  registry: string(1).always().expected().doc("Addresses of the registry, separated by commas."),
  volume: string(2).always().expected().doc("Name of the volume."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
  user: string(4).doc("The user that accesses are made as."),
  group: string(5).doc("The group that accesses are made as."),
  tenant: string(6).doc("The tenant that owns the volume."),
}).doc("A volume of Quobyte; no longer supported by nodes.");
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

export function validateQuobyte(source: QuobyteVolumeSource, at: At): void {
  const { registry, volume, tenant = "" } = source;
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  if (!registry) at.required("registry", pairs);
  else if (tenant.length >= 65)
    at.required("tenant", "must be a UUID and may not exceed a length of 64 characters");
  else
    for (const pair of registry.split(","))
      if (!isHostPort(pair)) at.invalid("registry", registry, pairs);
  if (!volume) at.required("volume");
}

export const PortworxVolumeSource = struct("io.k8s.api.core.v1.PortworxVolumeSource", {
  volumeID: string(1).always().expected().doc("Identifier of the volume."),
  fsType: string(2).doc("The file system that is mounted."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
}).doc("A volume of Portworx.");
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

export const validatePortworx = requiredFields<PortworxVolumeSource>("volumeID");

export const ScaleIOVolumeSource = struct("io.k8s.api.core.v1.ScaleIOVolumeSource", {
  gateway: string(1).always().expected().doc("Address of the gateway."),
  system: string(2).always().expected().doc("Name of the storage system."),
  secretRef: message(3, LocalObjectReference)
    .nullable()
    .expected()
    .doc("The secret with user and password."),
  sslEnabled: bool(4).doc("Whether the gateway is spoken to over TLS."),
  protectionDomain: string(5).doc("Name of the protection domain."),
  storagePool: string(6).doc("The storage pool of the domain."),
  storageMode: string(7)
    .default("ThinProvisioned")
    .doc("How storage is set aside: ThickProvisioned or ThinProvisioned."),
  volumeName: string(8).doc("Name of the volume."),
  fsType: string(9).default("xfs").doc("The file system that is mounted."),
  readOnly: bool(10).doc("Whether it is mounted read-only."),
}).doc("A volume of ScaleIO; no longer supported by nodes.");
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

export const validateScaleIo = requiredFields<
  Pick<ScaleIOVolumeSource, "gateway" | "system" | "volumeName">
>("gateway", "system", "volumeName");

export const StorageOSVolumeSource = struct("io.k8s.api.core.v1.StorageOSVolumeSource", {
  volumeName: string(1).doc("Name of the volume."),
  volumeNamespace: string(2).doc("Namespace of the volume; the pod's if not given."),
  fsType: string(3).doc("The file system that is mounted."),
  readOnly: bool(4).doc("Whether it is mounted read-only."),
  secretRef: message(5, LocalObjectReference).doc("The secret with the credentials."),
}).doc("A volume of StorageOS; no longer supported by nodes.");
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}

export function validateStorageOs(source: StorageOSVolumeSource, at: At): void {
  const { volumeName, volumeNamespace, secretRef } = source;
  if (!volumeName) at.required("volumeName");
  else at.invalidEach("volumeName", volumeName, isDns1123Label(volumeName));
  if (volumeNamespace)
    at.invalidEach("volumeNamespace", volumeNamespace, isDns1123Label(volumeNamespace));
  if (secretRef && !secretRef.name) at.required("secretRef.name");
}
