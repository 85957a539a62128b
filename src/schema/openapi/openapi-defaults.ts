const core = "io.k8s.api.core.v1";

/** Structs that have the name of a LocalObjectReference among their own fields. */
const namers = [
  "ConfigMapEnvSource",
  "ConfigMapKeySelector",
  "ConfigMapProjection",
  "ConfigMapVolumeSource",
  "LocalObjectReference",
  "SecretEnvSource",
  "SecretKeySelector",
  "SecretProjection",
];

/** The defaults that upstream declares in its schemas, by field; most it sets in code instead. */
export const publishedDefaults: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...namers.map((name) => [`${core}.${name}.name`, ""] as const),
  ["io.k8s.api.autoscaling.v1.ScaleSpec.replicas", 0],
  ["io.k8s.api.resource.v1.DeviceToleration.operator", "Equal"],
  [`${core}.AzureDiskVolumeSource.cachingMode`, "ReadWrite"],
  [`${core}.AzureDiskVolumeSource.fsType`, "ext4"],
  [`${core}.AzureDiskVolumeSource.kind`, "Shared"],
  [`${core}.AzureDiskVolumeSource.readOnly`, false],
  [`${core}.ContainerPort.protocol`, "TCP"],
  [`${core}.FileKeySelector.optional`, false],
  [`${core}.GRPCAction.service`, ""],
  [`${core}.ISCSIPersistentVolumeSource.iscsiInterface`, "default"],
  [`${core}.ISCSIVolumeSource.iscsiInterface`, "default"],
  [`${core}.RBDPersistentVolumeSource.keyring`, "/etc/ceph/keyring"],
  [`${core}.RBDPersistentVolumeSource.pool`, "rbd"],
  [`${core}.RBDPersistentVolumeSource.user`, "admin"],
  [`${core}.RBDVolumeSource.keyring`, "/etc/ceph/keyring"],
  [`${core}.RBDVolumeSource.pool`, "rbd"],
  [`${core}.RBDVolumeSource.user`, "admin"],
  [`${core}.ReplicationControllerSpec.minReadySeconds`, 0],
  [`${core}.ReplicationControllerSpec.replicas`, 1],
  [`${core}.ScaleIOPersistentVolumeSource.fsType`, "xfs"],
  [`${core}.ScaleIOPersistentVolumeSource.storageMode`, "ThinProvisioned"],
  [`${core}.ScaleIOVolumeSource.fsType`, "xfs"],
  [`${core}.ScaleIOVolumeSource.storageMode`, "ThinProvisioned"],
  [`${core}.ServicePort.protocol`, "TCP"],
]);
