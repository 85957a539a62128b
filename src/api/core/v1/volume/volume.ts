import { inline, message, string } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { defaultPullPolicy } from "../container/image-name.ts";
import { AzureDiskVolumeSource, AzureFileVolumeSource } from "./sources/azure.ts";
import { CephFSVolumeSource, RBDVolumeSource } from "./sources/ceph.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./sources/cloud-disks.ts";
import { ConfigMapVolumeSource } from "./sources/config-map.ts";
import { CSIVolumeSource } from "./sources/csi.ts";
import { DownwardAPIVolumeSource } from "./sources/downward-api.ts";
import { EmptyDirVolumeSource } from "./sources/empty-dir.ts";
import { EphemeralVolumeSource } from "./sources/ephemeral.ts";
import { FCVolumeSource } from "./sources/fc.ts";
import { FlexVolumeSource } from "./sources/flex-volume.ts";
import { GitRepoVolumeSource } from "./sources/git-repo.ts";
import { HostPathVolumeSource } from "./sources/host-path.ts";
import { ImageVolumeSource } from "./sources/image.ts";
import { ISCSIVolumeSource } from "./sources/iscsi.ts";
import { NFSVolumeSource } from "./sources/nfs.ts";
import { PersistentVolumeClaimVolumeSource } from "./sources/persistent-volume-claim.ts";
import { ProjectedVolumeSource } from "./sources/projected.ts";
import { SecretVolumeSource } from "./sources/secret.ts";
import {
  FlockerVolumeSource,
  GlusterfsVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
} from "./sources/storage-clusters.ts";

export const VolumeSource = struct("io.k8s.api.core.v1.VolumeSource", {
  hostPath: message(1, HostPathVolumeSource).doc("A file or folder of the node."),
  emptyDir: message(2, EmptyDirVolumeSource).doc("A folder that lives as long as the pod."),
  gcePersistentDisk: message(3, GCEPersistentDiskVolumeSource).doc(
    "A disk of Google Compute Engine.",
  ),
  awsElasticBlockStore: message(4, AWSElasticBlockStoreVolumeSource).doc(
    "A volume of AWS Elastic Block Store.",
  ),
  gitRepo: message(5, GitRepoVolumeSource).doc("A clone of a git repository."),
  secret: message(6, SecretVolumeSource).doc("The values of a secret."),
  nfs: message(7, NFSVolumeSource).doc("A folder of an NFS server."),
  iscsi: message(8, ISCSIVolumeSource).doc("A logical unit of an iSCSI target."),
  glusterfs: message(9, GlusterfsVolumeSource).doc("A volume of Gluster."),
  persistentVolumeClaim: message(10, PersistentVolumeClaimVolumeSource).doc(
    "The volume that a claim is bound to.",
  ),
  rbd: message(11, RBDVolumeSource).doc("A block device of a Ceph cluster."),
  flexVolume: message(12, FlexVolumeSource).doc("A volume of a driver on the node."),
  cinder: message(13, CinderVolumeSource).doc("A volume of OpenStack Cinder."),
  cephfs: message(14, CephFSVolumeSource).doc("A folder of a Ceph file system."),
  flocker: message(15, FlockerVolumeSource).doc("A dataset of Flocker."),
  downwardAPI: message(16, DownwardAPIVolumeSource).doc("What the pod says of itself."),
  fc: message(17, FCVolumeSource).doc("A Fibre Channel volume."),
  azureFile: message(18, AzureFileVolumeSource).doc("A share of Azure Files."),
  configMap: message(19, ConfigMapVolumeSource).doc("The values of a ConfigMap."),
  vsphereVolume: message(20, VsphereVirtualDiskVolumeSource).doc("A virtual disk of vSphere."),
  quobyte: message(21, QuobyteVolumeSource).doc("A volume of Quobyte."),
  azureDisk: message(22, AzureDiskVolumeSource).doc("A disk of Azure."),
  photonPersistentDisk: message(23, PhotonPersistentDiskVolumeSource).doc("A disk of Photon."),
  projected: message(26, ProjectedVolumeSource).doc("Several sources in one volume."),
  portworxVolume: message(24, PortworxVolumeSource).doc("A volume of Portworx."),
  scaleIO: message(25, ScaleIOVolumeSource).doc("A volume of ScaleIO."),
  storageos: message(27, StorageOSVolumeSource).doc("A volume of StorageOS."),
  csi: message(28, CSIVolumeSource).doc("A volume that a CSI driver makes for the pod."),
  ephemeral: message(29, EphemeralVolumeSource).doc("A volume provisioned for the pod."),
  image: message(30, ImageVolumeSource).doc("The files of an image."),
}).doc("Where a volume's data comes from: one of these.");
export interface VolumeSource extends Infer<typeof VolumeSource> {}

export const Volume = struct("io.k8s.api.core.v1.Volume", {
  name: string(1).always().expected().doc("Name of the volume, unique in the pod."),
  ...inline(2, VolumeSource),
})
  .defaults((volume) => {
    if (sourceNames.every((name) => volume[name] === undefined)) volume.emptyDir = {};
    if (volume.image) volume.image.pullPolicy ??= defaultPullPolicy(volume.image.reference ?? "");
  })
  .doc("Data that containers of the pod may mount.");
export interface Volume extends Infer<typeof Volume> {}

const sourceNames = Object.keys(VolumeSource.fields) as (keyof VolumeSource)[];
