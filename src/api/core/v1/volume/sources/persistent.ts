import { bool, message, string, stringMap } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import {
  isDns1123Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from "../../../../../schema/values/names.ts";
import { ObjectReference, SecretReference } from "../../object-reference.ts";
import { validateNoBacksteps } from "../local-path.ts";
import { AzureFileVolumeSource, validateAzureFile } from "./azure.ts";
import { CephFSVolumeSource, RBDVolumeSource } from "./ceph.ts";
import { CinderVolumeSource } from "./cloud-disks.ts";
import { validateCsiDriverName } from "./csi.ts";
import { FlexVolumeSource } from "./flex-volume.ts";
import { ISCSIVolumeSource, qualifiedNameFaults } from "./iscsi.ts";
import {
  GlusterfsVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  validateGlusterfs,
  validateStorageOs,
} from "./storage-clusters.ts";

// Volumes of the cluster name secrets in any namespace, where those of a pod name their own.

export const GlusterfsPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.GlusterfsPersistentVolumeSource",
  {
    ...GlusterfsVolumeSource.fields,
    endpointsNamespace: string(4)
      .pointer()
      .doc("Namespace of the Endpoints object; the claim's if not given."),
  },
).doc("A volume of Gluster; no longer supported by nodes.");
export interface GlusterfsPersistentVolumeSource
  extends Infer<typeof GlusterfsPersistentVolumeSource> {}

export function validatePersistentGlusterfs(source: GlusterfsPersistentVolumeSource, at: At): void {
  const { endpointsNamespace: namespace } = source;
  validateGlusterfs(source, at);
  if (namespace === "")
    at.invalid(
      "endpointsNamespace",
      namespace,
      "if the endpointnamespace is set, it must be a valid namespace name",
    );
  else if (namespace !== undefined)
    at.invalidEach("endpointsNamespace", namespace, nameIsDnsLabel(namespace));
}

export const RBDPersistentVolumeSource = struct("io.k8s.api.core.v1.RBDPersistentVolumeSource", {
  ...RBDVolumeSource.fields,
  secretRef: message(7, SecretReference).doc("The user's secret, instead of a key ring."),
}).doc("A block device of a Ceph cluster.");
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSource> {}

export const CephFSPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.CephFSPersistentVolumeSource",
  {
    ...CephFSVolumeSource.fields,
    secretRef: message(5, SecretReference).doc("The user's secret, instead of a key ring."),
  },
).doc("A folder of a Ceph file system.");
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSource> {}

export const ISCSIPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.ISCSIPersistentVolumeSource",
  {
    ...ISCSIVolumeSource.fields,
    secretRef: message(10, SecretReference).doc("The secret with the CHAP credentials."),
  },
).doc("A logical unit of an iSCSI target.");
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSource> {}

export function validatePersistentIscsi(
  source: ISCSIPersistentVolumeSource,
  at: At,
  { volumeName }: { readonly volumeName: string },
): void {
  const { targetPortal, iqn, lun, secretRef, initiatorName } = source;
  if (!targetPortal) at.required("targetPortal");
  if (initiatorName !== undefined && byteLength(`${volumeName}:${targetPortal}`) > 64)
    at.invalid(
      "targetportal",
      targetPortal,
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    );
  if (!iqn) at.required("iqn");
  else if (qualifiedNameFaults(iqn).length > 0) at.invalid("iqn", iqn, "must be valid format");
  if (lun < 0 || lun > 255) at.invalid("lun", lun, "must be between 0 and 255, inclusive");
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) at.required("secretRef");
  if (secretRef && !secretRef.name) at.required("secretRef.name");
  if (initiatorName !== undefined && qualifiedNameFaults(initiatorName).length > 0)
    at.invalid("initiatorname", initiatorName, "must be valid format");
}

const encoder = new TextEncoder();
const byteLength = (text: string): number => encoder.encode(text).length;

export const CinderPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.CinderPersistentVolumeSource",
  {
    ...CinderVolumeSource.fields,
    secretRef: message(4, SecretReference).doc("The secret to connect to OpenStack with."),
  },
).doc("A volume of OpenStack Cinder.");
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSource> {}

export function validatePersistentCinder(
  { volumeID, secretRef }: CinderPersistentVolumeSource,
  at: At,
): void {
  if (!volumeID) at.required("volumeID");
  if (!secretRef) return;
  if (!secretRef.name) at.required("secretRef.name");
  if (!secretRef.namespace) at.required("secretRef.namespace");
}

export const FlexPersistentVolumeSource = struct("io.k8s.api.core.v1.FlexPersistentVolumeSource", {
  ...FlexVolumeSource.fields,
  secretRef: message(3, SecretReference).doc("The secret that is handed to the driver."),
}).doc("A volume that a driver on the node provides and attaches.");
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSource> {}

export const AzureFilePersistentVolumeSource = struct(
  "io.k8s.api.core.v1.AzureFilePersistentVolumeSource",
  {
    ...AzureFileVolumeSource.fields,
    secretNamespace: string(4).nullable().doc("Namespace of the secret; the claim's if not given."),
  },
).doc("A share of Azure Files.");
export interface AzureFilePersistentVolumeSource
  extends Infer<typeof AzureFilePersistentVolumeSource> {}

export function validatePersistentAzureFile(source: AzureFilePersistentVolumeSource, at: At): void {
  validateAzureFile(source, at);
  if (source.secretNamespace === "") at.required("secretNamespace");
}

export const ScaleIOPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.ScaleIOPersistentVolumeSource",
  {
    ...ScaleIOVolumeSource.fields,
    secretRef: message(3, SecretReference)
      .nullable()
      .expected()
      .doc("The secret with user and password."),
  },
).doc("A volume of ScaleIO; no longer supported by nodes.");
export interface ScaleIOPersistentVolumeSource
  extends Infer<typeof ScaleIOPersistentVolumeSource> {}

export const LocalVolumeSource = struct("io.k8s.api.core.v1.LocalVolumeSource", {
  path: string(1).always().expected().doc("The folder or block device on the node."),
  fsType: string(2).pointer().doc("The file system that is mounted, if the path is a device."),
}).doc("A disk, partition or folder of one node.");
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSource> {}

export function validateLocalVolume({ path }: LocalVolumeSource, at: At): void {
  if (!path) at.required("path");
  else validateNoBacksteps(path, at.child("path"));
}

export const StorageOSPersistentVolumeSource = struct(
  "io.k8s.api.core.v1.StorageOSPersistentVolumeSource",
  {
    ...StorageOSVolumeSource.fields,
    secretRef: message(5, ObjectReference).doc("The secret with the credentials."),
  },
).doc("A volume of StorageOS; no longer supported by nodes.");
export interface StorageOSPersistentVolumeSource
  extends Infer<typeof StorageOSPersistentVolumeSource> {}

export function validatePersistentStorageOs(source: StorageOSPersistentVolumeSource, at: At): void {
  validateStorageOs(source, at);
  if (source.secretRef && !source.secretRef.namespace) at.required("secretRef.namespace");
}

export const CSIPersistentVolumeSource = struct("io.k8s.api.core.v1.CSIPersistentVolumeSource", {
  driver: string(1).always().expected().doc("Name of the driver."),
  volumeHandle: string(2).always().expected().doc("The driver's name of the volume."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
  fsType: string(4).doc("The file system that is mounted, if the driver minds."),
  volumeAttributes: stringMap(5).doc("What the driver wants to know of the volume."),
  controllerPublishSecretRef: message(6, SecretReference).doc(
    "The secret that the driver gets when it attaches the volume to a node.",
  ),
  nodeStageSecretRef: message(7, SecretReference).doc(
    "The secret that the driver gets when it prepares the volume on a node.",
  ),
  nodePublishSecretRef: message(8, SecretReference).doc(
    "The secret that the driver gets when it mounts the volume for a pod.",
  ),
  controllerExpandSecretRef: message(9, SecretReference).doc(
    "The secret that the driver gets when it makes the volume larger.",
  ),
  nodeExpandSecretRef: message(10, SecretReference).doc(
    "The secret that the driver gets when it makes the volume larger on a node.",
  ),
}).doc("A volume of a CSI driver.");
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSource> {}

/** The secret for staging is not looked at. */
const validatedSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

export function validatePersistentCsi(source: CSIPersistentVolumeSource, at: At): void {
  validateCsiDriverName(source.driver, at.child("driver"));
  if (!source.volumeHandle) at.required("volumeHandle");
  for (const field of validatedSecrets) {
    const secret = source[field];
    if (secret) validateSecretReference(secret, at.child(field));
  }
}

function validateSecretReference({ name, namespace }: SecretReference, at: At): void {
  if (!name) at.required("name");
  else at.invalidEach("name", name, nameIsDnsSubdomain(name));
  if (!namespace) at.required("namespace");
  else at.invalidEach("namespace", namespace, isDns1123Label(namespace));
}
