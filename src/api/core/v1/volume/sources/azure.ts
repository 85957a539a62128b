import { bool, named, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { requiredFields } from "./required-fields.ts";

export const AzureFileVolumeSource = struct("io.k8s.api.core.v1.AzureFileVolumeSource", {
  secretName: string(1).always().expected().doc("The secret with account name and key."),
  shareName: string(2).always().expected().doc("Name of the share."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
}).doc("A share of Azure Files.");
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

export const validateAzureFile = requiredFields<AzureFileVolumeSource>("secretName", "shareName");

const cachingModes = ["None", "ReadOnly", "ReadWrite"] as const;
const diskKinds = ["Dedicated", "Managed", "Shared"] as const;

export const AzureDiskVolumeSource = struct("io.k8s.api.core.v1.AzureDiskVolumeSource", {
  diskName: string(1).always().expected().doc("Name of the disk."),
  diskURI: string(2).always().expected().doc("Address of the disk."),
  cachingMode: named(3, "v1.AzureDataDiskCachingMode")
    .pointer()
    .known(...cachingModes)
    .default("ReadWrite")
    .doc("What the host caches."),
  fsType: string(4).pointer().default("ext4").doc("The file system that is mounted."),
  readOnly: bool(5).pointer().default(false).doc("Whether it is mounted read-only."),
  kind: named(6, "v1.AzureDataDiskKind")
    .pointer()
    .known(...diskKinds)
    .default("Shared")
    .doc("Blob disks of a shared or dedicated storage account, or a managed disk."),
}).doc("A disk of Azure.");
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

export function validateAzureDisk(source: AzureDiskVolumeSource, at: At): void {
  const { diskName, diskURI, cachingMode, kind } = source;
  if (!diskName) at.required("diskName");
  if (!diskURI) at.required("diskURI");
  if (!(cachingModes as readonly string[]).includes(cachingMode))
    at.notSupported("cachingMode", cachingMode, cachingModes);
  if (!(diskKinds as readonly string[]).includes(kind)) at.notSupported("kind", kind, diskKinds);
  const [prefix, form] = kind === "Managed" ? managedDisk : blobDisk;
  if (!diskURI.startsWith(prefix)) at.notSupported("diskURI", diskURI, [form]);
}

const managedDisk = [
  "/subscriptions/",
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
] as const;
const blobDisk = [
  "https://",
  "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
] as const;
