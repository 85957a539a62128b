import { message } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { AzureDiskVolumeSource, validateAzureDisk } from "./sources/azure.ts";
import { validateCephFs, validateRbd } from "./sources/ceph.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  VsphereVirtualDiskVolumeSource,
  validateAwsElasticBlockStore,
  validateGcePersistentDisk,
  validatePhotonPersistentDisk,
  validateVsphereVolume,
} from "./sources/cloud-disks.ts";
import { FCVolumeSource, validateFc } from "./sources/fc.ts";
import { validateFlexVolume } from "./sources/flex-volume.ts";
import { HostPathVolumeSource, validateHostPath } from "./sources/host-path.ts";
import { NFSVolumeSource, validateNfs } from "./sources/nfs.ts";
import {
  AzureFilePersistentVolumeSource,
  CephFSPersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
  validateLocalVolume,
  validatePersistentAzureFile,
  validatePersistentCinder,
  validatePersistentCsi,
  validatePersistentGlusterfs,
  validatePersistentIscsi,
  validatePersistentStorageOs,
} from "./sources/persistent.ts";
import {
  FlockerVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  validateFlocker,
  validatePortworx,
  validateQuobyte,
  validateScaleIo,
} from "./sources/storage-clusters.ts";

export const PersistentVolumeSource = struct("io.k8s.api.core.v1.PersistentVolumeSource", {
  gcePersistentDisk: message(1, GCEPersistentDiskVolumeSource).doc(
    "A disk of Google Compute Engine.",
  ),
  awsElasticBlockStore: message(2, AWSElasticBlockStoreVolumeSource).doc(
    "A volume of AWS Elastic Block Store.",
  ),
  hostPath: message(3, HostPathVolumeSource).doc("A file or folder of the node, for tests."),
  glusterfs: message(4, GlusterfsPersistentVolumeSource).doc("A volume of Gluster."),
  nfs: message(5, NFSVolumeSource).doc("A folder of an NFS server."),
  rbd: message(6, RBDPersistentVolumeSource).doc("A block device of a Ceph cluster."),
  iscsi: message(7, ISCSIPersistentVolumeSource).doc("A logical unit of an iSCSI target."),
  cinder: message(8, CinderPersistentVolumeSource).doc("A volume of OpenStack Cinder."),
  cephfs: message(9, CephFSPersistentVolumeSource).doc("A folder of a Ceph file system."),
  fc: message(10, FCVolumeSource).doc("A Fibre Channel volume."),
  flocker: message(11, FlockerVolumeSource).doc("A dataset of Flocker."),
  flexVolume: message(12, FlexPersistentVolumeSource).doc("A volume of a driver on the node."),
  azureFile: message(13, AzureFilePersistentVolumeSource).doc("A share of Azure Files."),
  vsphereVolume: message(14, VsphereVirtualDiskVolumeSource).doc("A virtual disk of vSphere."),
  quobyte: message(15, QuobyteVolumeSource).doc("A volume of Quobyte."),
  azureDisk: message(16, AzureDiskVolumeSource).doc("A disk of Azure."),
  photonPersistentDisk: message(17, PhotonPersistentDiskVolumeSource).doc("A disk of Photon."),
  portworxVolume: message(18, PortworxVolumeSource).doc("A volume of Portworx."),
  scaleIO: message(19, ScaleIOPersistentVolumeSource).doc("A volume of ScaleIO."),
  local: message(20, LocalVolumeSource).doc("A disk, partition or folder of one node."),
  storageos: message(21, StorageOSPersistentVolumeSource).doc("A volume of StorageOS."),
  csi: message(22, CSIPersistentVolumeSource).doc("A volume of a CSI driver."),
}).doc("Where the data of a persistent volume is: one of these.");
export interface PersistentVolumeSource extends Infer<typeof PersistentVolumeSource> {}

export interface SourceOptions {
  /** The name of the volume; empty for one that stands inside another object. */
  readonly volumeName: string;
  /** Whether the volume says which nodes reach it. */
  readonly hasNodeAffinity: boolean;
}

/** The rules of a persistent volume's source: there is one, and it is well formed. */
export function validatePersistentSource(
  sources: PersistentVolumeSource,
  at: At,
  options: SourceOptions,
): void {
  let found = false;
  for (const { name, ruledAs, forbiddenAs, besideOthers, rule } of sourceRules) {
    const source = sources[name] as never;
    if (source === undefined) continue;
    if (found && !besideOthers)
      at.forbidden(forbiddenAs ?? name, "may not specify more than 1 volume type");
    else rule(source, at.child(ruledAs ?? name), options);
    if (name === "local" && !found && !options.hasNodeAffinity)
      at.required("nodeAffinity", "Local volume requires node affinity");
    found = true;
  }
  if (!found) at.required("", "must specify a volume type");
}

/** The source of a volume, without the rest of its spec. */
export const sourceOf = (spec: PersistentVolumeSource): PersistentVolumeSource =>
  Object.fromEntries(
    sourceNames.filter((name) => spec[name] !== undefined).map((name) => [name, spec[name]]),
  );

const sourceNames = Object.keys(PersistentVolumeSource.fields) as (keyof PersistentVolumeSource)[];

interface SourceRule {
  readonly name: keyof PersistentVolumeSource;
  readonly rule: (source: never, at: At, options: SourceOptions) => void;
  /** The name under which upstream reports what is wrong inside, where it is another. */
  readonly ruledAs?: string;
  /** The name under which upstream reports that there is another source already. */
  readonly forbiddenAs?: string;
  /** Upstream does not mind a source before it. */
  readonly besideOthers?: true;
}

const source = <N extends keyof PersistentVolumeSource>(
  name: N,
  rule: (source: NonNullable<PersistentVolumeSource[N]>, at: At, options: SourceOptions) => void,
  more: Omit<SourceRule, "name" | "rule"> = {},
): SourceRule => ({ name, rule, ...more });

/** In upstream's order: a volume's first source is looked into, the others are refused. */
const sourceRules: readonly SourceRule[] = [
  source("hostPath", validateHostPath),
  source("gcePersistentDisk", validateGcePersistentDisk, { ruledAs: "persistentDisk" }),
  source("awsElasticBlockStore", validateAwsElasticBlockStore),
  source("glusterfs", validatePersistentGlusterfs),
  source("flocker", validateFlocker),
  source("nfs", validateNfs),
  source("rbd", validateRbd),
  source("quobyte", validateQuobyte),
  source("cephfs", validateCephFs, { forbiddenAs: "cephFS" }),
  source("iscsi", validatePersistentIscsi),
  source("cinder", validatePersistentCinder),
  source("fc", validateFc),
  source("flexVolume", validateFlexVolume, { besideOthers: true }),
  source("azureFile", validatePersistentAzureFile),
  source("vsphereVolume", validateVsphereVolume),
  source("photonPersistentDisk", validatePhotonPersistentDisk),
  source("portworxVolume", validatePortworx),
  source("azureDisk", validateAzureDisk),
  source("scaleIO", validateScaleIo),
  source("local", validateLocalVolume),
  source("storageos", validatePersistentStorageOs),
  source("csi", validatePersistentCsi),
];
