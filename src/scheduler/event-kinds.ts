import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { DeviceClass } from "../api/resource/v1/device-class.ts";
import { ResourceClaim } from "../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../api/resource/v1/resource-slice.ts";
import { DeviceTaintRule } from "../api/resource/v1beta2/device-taint-rule.ts";
import { PodGroup } from "../api/scheduling/v1alpha2/pod-group.ts";
import { CSIDriver } from "../api/storage/v1/csi-driver.ts";
import { CSINode } from "../api/storage/v1/csi-node.ts";
import { CSIStorageCapacity } from "../api/storage/v1/csi-storage-capacity.ts";
import { StorageClass } from "../api/storage/v1/storage-class.ts";
import { VolumeAttachment } from "../api/storage/v1/volume-attachment.ts";
import { dynamicKind, type ResourceKind } from "../client/resource-kind.ts";
import type { EventResource } from "./framework/cluster-event.ts";

/** Finds the kind of a registered event: a known one, or `PLURAL.VERSION.GROUP`. */
export function eventKind(resource: EventResource): ResourceKind | undefined {
  const known = kinds[resource];
  if (known) return known;
  const [, plural, version, group] = /^([^.]+)\.([^.]+)\.(.+\..+|[^.]+)$/.exec(resource) ?? [];
  if (!plural || !version || !group) return undefined;
  return dynamicKind({ group, version, plural, kind: plural, scope: "Namespaced" });
}

const kinds: Readonly<Record<EventResource, ResourceKind>> = {
  PersistentVolume,
  PersistentVolumeClaim,
  "storage.k8s.io/CSINode": CSINode,
  "storage.k8s.io/CSIDriver": CSIDriver,
  "storage.k8s.io/CSIStorageCapacity": CSIStorageCapacity,
  "storage.k8s.io/StorageClass": StorageClass,
  "storage.k8s.io/VolumeAttachment": VolumeAttachment,
  "resource.k8s.io/ResourceClaim": ResourceClaim,
  "resource.k8s.io/ResourceSlice": ResourceSlice,
  "resource.k8s.io/DeviceClass": DeviceClass,
  "resource.k8s.io/DeviceTaintRule": DeviceTaintRule,
  "scheduling.k8s.io/PodGroup": PodGroup,
};
