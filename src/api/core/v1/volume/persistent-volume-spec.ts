import {
  inline,
  listOf,
  message,
  named,
  string,
  strings,
  time,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import { ObjectReference } from "../object-reference.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { NodeSelector } from "../scheduling/node-selector.ts";
import { PersistentVolumeSource } from "./persistent-volume-source.ts";

export const VolumeNodeAffinity = struct("io.k8s.api.core.v1.VolumeNodeAffinity", {
  required: message(1, NodeSelector).doc("The nodes that reach the volume."),
}).doc("From which nodes a volume can be reached.");
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}

export const PersistentVolumeSpec = struct("io.k8s.api.core.v1.PersistentVolumeSpec", {
  capacity: resourceList(1).doc("How large the volume is."),
  ...inline(2, PersistentVolumeSource),
  accessModes: listOf(3, namedString("v1.PersistentVolumeAccessMode"))
    .known("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
    .atomic()
    .doc("How nodes or pods can share the volume."),
  claimRef: message(4, ObjectReference).granular().doc("The claim that the volume is bound to."),
  persistentVolumeReclaimPolicy: named(5, "v1.PersistentVolumeReclaimPolicy")
    .known("Recycle", "Delete", "Retain")
    .doc("What becomes of the volume when its claim is gone."),
  storageClassName: string(6).doc("Class of the volume; empty for none."),
  mountOptions: strings(7).atomic().doc("Options it is mounted with, such as ro."),
  volumeMode: named(8, "v1.PersistentVolumeMode")
    .pointer()
    .known("Block", "Filesystem")
    .doc("Whether pods see a file system or a block device."),
  nodeAffinity: message(9, VolumeNodeAffinity).doc("From which nodes it can be reached."),
  volumeAttributesClassName: string(10)
    .pointer()
    .doc("The class of attributes that has been applied to the volume."),
})
  .defaults(({ capacity }) => roundUpResources(capacity))
  .doc("What a volume is, and who may use it.");
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

export const PersistentVolumeStatus = struct("io.k8s.api.core.v1.PersistentVolumeStatus", {
  phase: named(1, "v1.PersistentVolumePhase")
    .known("Pending", "Available", "Bound", "Released", "Failed")
    .doc("Whether the volume is free, bound or released."),
  message: string(2).doc("Why it is in this state, for people."),
  reason: string(3).doc("Why something failed, in one word."),
  lastPhaseTransitionTime: time(4).doc("When the phase last changed."),
}).doc("What is known of a volume.");
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}
