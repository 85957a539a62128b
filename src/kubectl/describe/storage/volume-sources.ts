import type { VolumeSource } from "../../../api/core/v1/volume/volume.ts";
import { isZeroQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import type { Description } from "../description.ts";
import { attributeLines } from "../metadata-lines.ts";
import { quantityText } from "../quantities.ts";
import { claimSpecLines } from "./claim-lines.ts";
import {
  goListText,
  goMapText,
  localReferenceText,
  type SourceWriter,
  sourceLines,
} from "./source-lines.ts";

/** How the sources of a pod's volumes are described, by their names. */
export const volumeSources: {
  readonly [S in keyof Required<VolumeSource>]: SourceWriter<VolumeSource[S]>;
} = {
  hostPath: (d, { path, type }) =>
    sourceLines(d, "HostPath (bare host directory volume)", [
      ["Path", path],
      ["HostPathType", type ?? "<none>"],
    ]),
  emptyDir: (d, { medium, sizeLimit }) =>
    sourceLines(d, "EmptyDir (a temporary directory that shares a pod's lifetime)", [
      ["Medium", medium],
      ["SizeLimit", sizeLimitText(sizeLimit)],
    ]),
  gcePersistentDisk: (d, { pdName, fsType, partition = 0, readOnly = false }) =>
    sourceLines(d, "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)", [
      ["PDName", pdName],
      ["FSType", fsType],
      ["Partition", partition],
      ["ReadOnly", readOnly],
    ]),
  awsElasticBlockStore: (d, { volumeID, fsType, partition = 0, readOnly = false }) =>
    sourceLines(d, "AWSElasticBlockStore (a Persistent Disk resource in AWS)", [
      ["VolumeID", volumeID],
      ["FSType", fsType],
      ["Partition", partition],
      ["ReadOnly", readOnly],
    ]),
  gitRepo: (d, { repository, revision }) =>
    sourceLines(d, "GitRepo (a volume that is pulled from git when the pod is created)", [
      ["Repository", repository],
      ["Revision", revision],
    ]),
  secret: (d, { secretName, optional = false }) =>
    sourceLines(d, "Secret (a volume populated by a Secret)", [
      ["SecretName", secretName],
      ["Optional", optional],
    ]),
  configMap: (d, { name, optional = false }) =>
    sourceLines(d, "ConfigMap (a volume populated by a ConfigMap)", [
      ["Name", name],
      ["Optional", optional],
    ]),
  nfs: (d, { server, path, readOnly = false }) =>
    sourceLines(d, "NFS (an NFS mount that lasts the lifetime of a pod)", [
      ["Server", server],
      ["Path", path],
      ["ReadOnly", readOnly],
    ]),
  iscsi: (d, source) => iscsiLines(d, source, localReferenceText(source.secretRef)),
  glusterfs: (d, { endpoints, path, readOnly = false }) =>
    sourceLines(d, glusterfsType, [
      ["EndpointsName", endpoints],
      ["Path", path],
      ["ReadOnly", readOnly],
    ]),
  persistentVolumeClaim: (d, { claimName, readOnly = false }) =>
    sourceLines(
      d,
      "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
      [
        ["ClaimName", claimName],
        ["ReadOnly", readOnly],
      ],
    ),
  ephemeral(d, { volumeClaimTemplate }) {
    const type =
      "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)";
    sourceLines(d, type, []);
    if (volumeClaimTemplate) claimSpecLines(d.nested(2), volumeClaimTemplate);
  },
  rbd: (d, source) => rbdLines(d, source, localReferenceText(source.secretRef)),
  quobyte: (d, { registry, volume, readOnly = false }) =>
    sourceLines(d, "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)", [
      ["Registry", registry],
      ["Volume", volume],
      ["ReadOnly", readOnly],
    ]),
  downwardAPI(d, { items = [] }) {
    sourceLines(d, "DownwardAPI (a volume populated by information about the pod)", []);
    d.line("Items:", 2);
    for (const { path, fieldRef, resourceFieldRef } of items) {
      if (fieldRef) d.line(`${fieldRef.fieldPath} -> ${path}`, 3);
      if (resourceFieldRef) d.line(`${resourceFieldRef.resource} -> ${path}`, 3);
    }
  },
  azureDisk(d, { diskName, diskURI, kind, fsType, cachingMode, readOnly }) {
    sourceLines(d, "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)", [
      ["DiskName", diskName],
      ["DiskURI", diskURI],
    ]);
    d.row(["Kind: ", kind ?? ""], 2);
    d.field("FSType", fsType ?? "", 2);
    d.field("CachingMode", cachingMode ?? "", 2);
    d.field("ReadOnly", readOnly ?? false, 2);
  },
  vsphereVolume: (d, { volumePath, fsType, storagePolicyName }) =>
    sourceLines(d, "vSphereVolume (a Persistent Disk resource in vSphere)", [
      ["VolumePath", volumePath],
      ["FSType", fsType],
      ["StoragePolicyName", storagePolicyName],
    ]),
  cinder: (d, source) => cinderLines(d, source, localReferenceText(source.secretRef)),
  photonPersistentDisk: (d, { pdID, fsType }) =>
    sourceLines(d, "PhotonPersistentDisk (a Persistent Disk resource in photon platform)", [
      ["PdID", pdID],
      ["FSType", fsType],
    ]),
  portworxVolume: (d, { volumeID }) =>
    sourceLines(d, "PortworxVolume (a Portworx Volume resource)", [["VolumeID", volumeID]]),
  scaleIO: (d, source) => scaleIoLines(d, source, []),
  cephfs: (d, source) => cephFsLines(d, source, localReferenceText(source.secretRef)),
  storageos: (d, { volumeName, volumeNamespace, fsType, readOnly = false }) =>
    sourceLines(d, "StorageOS (a StorageOS Persistent Disk resource)", [
      ["VolumeName", volumeName],
      ["VolumeNamespace", volumeNamespace],
      ["FSType", fsType],
      ["ReadOnly", readOnly],
    ]),
  fc: (d, { targetWWNs = [], lun, fsType, readOnly = false }) =>
    sourceLines(d, "FC (a Fibre Channel disk)", [
      ["TargetWWNs", targetWWNs.join(", ")],
      ["LUN", lun ?? "<none>"],
      ["FSType", fsType],
      ["ReadOnly", readOnly],
    ]),
  azureFile: (d, { secretName, shareName, readOnly = false }) =>
    sourceLines(d, azureFileType, [
      ["SecretName", secretName],
      ["ShareName", shareName],
      ["ReadOnly", readOnly],
    ]),
  flexVolume: (d, source) => flexVolumeLines(d, source, localReferenceText(source.secretRef)),
  flocker: (d, { datasetName, datasetUUID }) =>
    sourceLines(d, "Flocker (a Flocker volume mounted by the Flocker agent)", [
      ["DatasetName", datasetName],
      ["DatasetUUID", datasetUUID],
    ]),
  projected(d, { sources }) {
    sourceLines(d, "Projected (a volume that contains injected data from multiple sources)", []);
    for (const { secret, downwardAPI, configMap, serviceAccountToken } of sources ?? [])
      if (secret) {
        d.field("SecretName", secret.name ?? "", 2);
        d.field("Optional", secret.optional ?? false, 2);
      } else if (downwardAPI) d.field("DownwardAPI", true, 2);
      else if (configMap) {
        d.field("ConfigMapName", configMap.name ?? "", 2);
        d.field("Optional", configMap.optional ?? false, 2);
      } else if (serviceAccountToken)
        d.field("TokenExpirationSeconds", serviceAccountToken.expirationSeconds ?? 0, 2);
  },
  csi(d, { driver, fsType, readOnly, volumeAttributes }) {
    sourceLines(d, csiType, [
      ["Driver", driver],
      ["FSType", fsType],
      ["ReadOnly", readOnly ?? false],
    ]);
    attributeLines(d, "VolumeAttributes", volumeAttributes);
  },
  image: (d, { reference, pullPolicy }) =>
    sourceLines(d, "Image (a container image or OCI artifact)", [
      ["Reference", reference],
      ["PullPolicy", pullPolicy],
    ]),
};

export const glusterfsType =
  "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)";
export const azureFileType =
  "AzureFile (an Azure File Service mount on the host and bind mount to the pod)";
export const csiType = "CSI (a Container Storage Interface (CSI) volume source)";

const sizeLimitText = (limit: string | undefined): string =>
  limit === undefined || isZeroQuantity(parseQuantity(limit)) ? "<unset>" : quantityText(limit);

type Source<S extends keyof VolumeSource> = Omit<NonNullable<VolumeSource[S]>, "secretRef">;

export function iscsiLines(d: Description, source: Source<"iscsi">, secret: string): void {
  const type =
    "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)";
  sourceLines(d, type, [
    ["TargetPortal", source.targetPortal],
    ["IQN", source.iqn],
    ["Lun", source.lun],
  ]);
  d.row(["ISCSIInterface", source.iscsiInterface ?? ""], 2);
  for (const [name, value] of [
    ["FSType", source.fsType ?? ""],
    ["ReadOnly", source.readOnly ?? false],
    ["Portals", goListText(source.portals)],
    ["DiscoveryCHAPAuth", source.chapAuthDiscovery ?? false],
    ["SessionCHAPAuth", source.chapAuthSession ?? false],
    ["SecretRef", secret],
    ["InitiatorName", source.initiatorName ?? "<none>"],
  ] as const)
    d.field(name, value, 2);
}

export const rbdLines = (d: Description, source: Source<"rbd">, secret: string): void =>
  sourceLines(d, "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)", [
    ["CephMonitors", goListText(source.monitors)],
    ["RBDImage", source.image],
    ["FSType", source.fsType],
    ["RBDPool", source.pool],
    ["RadosUser", source.user],
    ["Keyring", source.keyring],
    ["SecretRef", secret],
    ["ReadOnly", source.readOnly ?? false],
  ]);

export const cinderLines = (d: Description, source: Source<"cinder">, secret: string): void =>
  sourceLines(d, "Cinder (a Persistent Disk resource in OpenStack)", [
    ["VolumeID", source.volumeID],
    ["FSType", source.fsType],
    ["ReadOnly", source.readOnly ?? false],
    ["SecretRef", secret],
  ]);

export const cephFsLines = (d: Description, source: Source<"cephfs">, secret: string): void =>
  sourceLines(d, "CephFS (a CephFS mount on the host that shares a pod's lifetime)", [
    ["Monitors", goListText(source.monitors)],
    ["Path", source.path],
    ["User", source.user],
    ["SecretFile", source.secretFile],
    ["SecretRef", secret],
    ["ReadOnly", source.readOnly ?? false],
  ]);

export const flexVolumeLines = (
  d: Description,
  source: Source<"flexVolume">,
  secret: string,
): void =>
  sourceLines(
    d,
    "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
    [
      ["Driver", source.driver],
      ["FSType", source.fsType],
      ["SecretRef", secret],
      ["ReadOnly", source.readOnly ?? false],
      ["Options", goMapText(source.options)],
    ],
  );

export const scaleIoLines = (
  d: Description,
  source: Source<"scaleIO">,
  secret: readonly (readonly [string, string])[],
): void =>
  sourceLines(d, "ScaleIO (a persistent volume backed by a block device in ScaleIO)", [
    ["Gateway", source.gateway],
    ["System", source.system],
    ["Protection Domain", source.protectionDomain],
    ["Storage Pool", source.storagePool],
    ["Storage Mode", source.storageMode],
    ["VolumeName", source.volumeName],
    ...secret,
    ["FSType", source.fsType],
    ["ReadOnly", source.readOnly ?? false],
  ]);
