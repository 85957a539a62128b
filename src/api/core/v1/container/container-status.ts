import {
  bool,
  int32,
  int64,
  list,
  listOf,
  message,
  named,
  string,
  value,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { int64Type } from "../../../../schema/language/type.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { ContainerState } from "./container-state.ts";
import { signals } from "./lifecycle.ts";
import { ResourceRequirements } from "./resource-requirements.ts";

export const ImageVolumeStatus = struct("io.k8s.api.core.v1.ImageVolumeStatus", {
  imageRef: string(1).expected().doc("The digest of the image."),
}).doc("What is mounted of an image volume.");
export interface ImageVolumeStatus extends Infer<typeof ImageVolumeStatus> {}

export const VolumeStatus = struct("io.k8s.api.core.v1.VolumeStatus", {
  image: message(1, ImageVolumeStatus).doc("Set for an image volume."),
}).doc("What is known of a volume since it was mounted.");
export interface VolumeStatus extends Infer<typeof VolumeStatus> {}

export const VolumeMountStatus = struct("io.k8s.api.core.v1.VolumeMountStatus", {
  name: string(1).always().expected().doc("The volume that is mounted."),
  mountPath: string(2).always().expected().doc("Path at which it is mounted."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
  recursiveReadOnly: named(4, "v1.RecursiveReadOnlyMode")
    .pointer()
    .known("Disabled", "IfPossible", "Enabled")
    .doc("Whether what is mounted below it is read-only too."),
  volumeStatus: message(5, VolumeStatus).doc("What is known of the volume."),
}).doc("A mount as the container got it.");
export interface VolumeMountStatus extends Infer<typeof VolumeMountStatus> {}

export const LinuxContainerUser = struct("io.k8s.api.core.v1.LinuxContainerUser", {
  uid: int64(1).always().expected().doc("The user ID."),
  gid: int64(2).always().expected().doc("The group ID."),
  supplementalGroups: listOf(3, int64Type).atomic().doc("Further groups."),
}).doc("The user of a container's first process on Linux.");
export interface LinuxContainerUser extends Infer<typeof LinuxContainerUser> {}

export const ContainerUser = struct("io.k8s.api.core.v1.ContainerUser", {
  linux: message(1, LinuxContainerUser).doc("Set for containers on Linux."),
}).doc("The user of a container's first process.");
export interface ContainerUser extends Infer<typeof ContainerUser> {}

export const ResourceHealth = struct("io.k8s.api.core.v1.ResourceHealth", {
  resourceID: named(1, "v1.ResourceID").always().expected().doc("Which one of the resource."),
  health: named(2, "v1.ResourceHealthStatus")
    .known("Healthy", "Unhealthy", "Unknown")
    .doc("Whether it works."),
  message: string(6).pointer().doc("More on its health."),
}).doc("The health of a device that a container got.");
export interface ResourceHealth extends Infer<typeof ResourceHealth> {}

export const ResourceStatus = struct("io.k8s.api.core.v1.ResourceStatus", {
  name: named(1, "v1.ResourceName")
    .always()
    .expected()
    .doc("Name of the resource, or claim:NAME/REQUEST for a claim."),
  resources: list(2, ResourceHealth).mapKeys("resourceID").doc("Each that the container got."),
}).doc("What a container got of a resource.");
export interface ResourceStatus extends Infer<typeof ResourceStatus> {}

export const ContainerStatus = struct("io.k8s.api.core.v1.ContainerStatus", {
  name: string(1).always().expected().doc("The container of the pod's spec."),
  state: value(2, ContainerState).doc("How far it is."),
  lastState: value(3, ContainerState).doc("How it ended before it was restarted."),
  ready: bool(4).always().expected().doc("Whether it is ready for requests."),
  restartCount: int32(5).always().expected().doc("How often it was restarted."),
  image: string(6).always().expected().doc("The image it runs."),
  imageID: string(7).always().expected().doc("The ID of that image."),
  containerID: string(8).doc("Its ID, as runtime://id."),
  started: bool(9).pointer().doc("Whether it is past its startup probe and its start hook."),
  allocatedResources: resourceList(10).doc("What the node set aside for it."),
  resources: message(11, ResourceRequirements).doc("Requests and limits in force."),
  volumeMounts: list(12, VolumeMountStatus).keyedBy("mountPath").doc("Its mounts."),
  user: message(13, ContainerUser).doc("The user it was started as."),
  allocatedResourcesStatus: list(14, ResourceStatus)
    .keyedBy("name")
    .doc("The health of what it got of some resources."),
  stopSignal: named(15, "v1.Signal")
    .pointer()
    .known(...signals)
    .doc("The signal that stops it."),
})
  .defaults(({ allocatedResources }) => roundUpResources(allocatedResources))
  .doc("What is known of a container of a pod.");
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}
