import type { PersistentVolumeSource } from "../../../api/core/v1/volume/persistent-volume-source.ts";
import { attributeLines } from "../metadata-lines.ts";
import { type SourceWriter, secretReferenceText, sourceLines } from "./source-lines.ts";
import {
  azureFileType,
  cephFsLines,
  cinderLines,
  csiType,
  flexVolumeLines,
  glusterfsType,
  iscsiLines,
  rbdLines,
  scaleIoLines,
  volumeSources,
} from "./volume-sources.ts";

/** How the sources of persistent volumes are described, by their names. */
export const persistentSources: {
  readonly [S in keyof Required<PersistentVolumeSource>]: SourceWriter<PersistentVolumeSource[S]>;
} = {
  hostPath: volumeSources.hostPath,
  gcePersistentDisk: volumeSources.gcePersistentDisk,
  awsElasticBlockStore: volumeSources.awsElasticBlockStore,
  nfs: volumeSources.nfs,
  iscsi: (d, source) => iscsiLines(d, source, secretReferenceText(source.secretRef)),
  glusterfs: (d, { endpoints, endpointsNamespace, path, readOnly = false }) =>
    sourceLines(d, glusterfsType, [
      ["EndpointsName", endpoints],
      ["EndpointsNamespace", endpointsNamespace ?? "<unset>"],
      ["Path", path],
      ["ReadOnly", readOnly],
    ]),
  rbd: (d, source) => rbdLines(d, source, secretReferenceText(source.secretRef)),
  quobyte: volumeSources.quobyte,
  vsphereVolume: volumeSources.vsphereVolume,
  cinder: (d, source) => cinderLines(d, source, secretReferenceText(source.secretRef)),
  azureDisk: volumeSources.azureDisk,
  photonPersistentDisk: volumeSources.photonPersistentDisk,
  portworxVolume: volumeSources.portworxVolume,
  scaleIO: (d, source) =>
    scaleIoLines(d, source, [
      ["SecretName", source.secretRef?.name ?? ""],
      ["SecretNamespace", source.secretRef?.namespace ?? ""],
    ]),
  local: (d, { path }) =>
    sourceLines(d, "LocalVolume (a persistent volume backed by local storage on a node)", [
      ["Path", path],
    ]),
  cephfs: (d, source) => cephFsLines(d, source, secretReferenceText(source.secretRef)),
  storageos: (d, { volumeName, volumeNamespace, fsType, readOnly = false }) =>
    volumeSources.storageos(d, { volumeName, volumeNamespace, fsType, readOnly }),
  fc: volumeSources.fc,
  azureFile: (d, { secretName, secretNamespace, shareName, readOnly = false }) =>
    sourceLines(d, azureFileType, [
      ["SecretName", secretName],
      ["SecretNamespace", secretNamespace],
      ["ShareName", shareName],
      ["ReadOnly", readOnly],
    ]),
  flexVolume: (d, source) => flexVolumeLines(d, source, secretReferenceText(source.secretRef)),
  flocker: volumeSources.flocker,
  csi(d, { driver, fsType, volumeHandle, readOnly = false, volumeAttributes }) {
    sourceLines(d, csiType, [
      ["Driver", driver],
      ["FSType", fsType],
      ["VolumeHandle", volumeHandle],
      ["ReadOnly", readOnly],
    ]);
    attributeLines(d, "VolumeAttributes", volumeAttributes);
  },
};
