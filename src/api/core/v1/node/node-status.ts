import {
  bool,
  int32,
  int64,
  list,
  listOf,
  message,
  named,
  string,
  strings,
  time,
  value,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import { conditionStatus } from "../../../meta/v1/condition.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { NodeConfigSource } from "./node-spec.ts";

export const NodeCondition = struct("io.k8s.api.core.v1.NodeCondition", {
  type: named(1, "v1.NodeConditionType")
    .always()
    .expected()
    .known("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
    .doc("What the condition is about."),
  status: conditionStatus(2),
  lastHeartbeatTime: time(3).always().doc("When it was last looked at."),
  lastTransitionTime: time(4).always().doc("When the status last changed."),
  reason: string(5).doc("Why it last changed, for machines."),
  message: string(6).doc("Why it last changed, for people."),
}).doc("One aspect of the state of a node.");
export interface NodeCondition extends Infer<typeof NodeCondition> {}

export const NodeAddress = struct("io.k8s.api.core.v1.NodeAddress", {
  type: named(1, "v1.NodeAddressType")
    .always()
    .expected()
    .known("Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS")
    .doc("What kind of address it is."),
  address: string(2).always().expected().doc("The address."),
}).doc("One of a node's addresses.");
export interface NodeAddress extends Infer<typeof NodeAddress> {}

export const DaemonEndpoint = struct("io.k8s.api.core.v1.DaemonEndpoint", {
  Port: int32(1).always().expected().doc("The port it listens at."),
}).doc("Where a daemon on a node listens.");
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

export const NodeDaemonEndpoints = struct("io.k8s.api.core.v1.NodeDaemonEndpoints", {
  kubeletEndpoint: value(1, DaemonEndpoint).doc("Where the kubelet listens."),
}).doc("Where the daemons on a node listen.");
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

export const NodeSwapStatus = struct("io.k8s.api.core.v1.NodeSwapStatus", {
  capacity: int64(1).pointer().doc("How many bytes of swap there are."),
}).doc("The swap of a node.");
export interface NodeSwapStatus extends Infer<typeof NodeSwapStatus> {}

export const NodeSystemInfo = struct("io.k8s.api.core.v1.NodeSystemInfo", {
  machineID: string(1).always().expected().doc("Identity of the machine, from /etc/machine-id."),
  systemUUID: string(2).always().expected().doc("Identity of the machine, from its firmware."),
  bootID: string(3).always().expected().doc("Identity of the current boot."),
  kernelVersion: string(4).always().expected().doc("Version of the kernel."),
  osImage: string(5).always().expected().doc("Name of the operating system's release."),
  containerRuntimeVersion: string(6)
    .always()
    .expected()
    .doc("Name and version of the container runtime."),
  kubeletVersion: string(7).always().expected().doc("Version of the kubelet."),
  kubeProxyVersion: string(8).always().expected().doc("Unused."),
  operatingSystem: string(9).always().expected().doc("The operating system."),
  architecture: string(10).always().expected().doc("The machine's architecture."),
  swap: message(11, NodeSwapStatus).doc("The machine's swap."),
}).doc("What a node is made of.");
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

export const ContainerImage = struct("io.k8s.api.core.v1.ContainerImage", {
  names: strings(1).always().atomic().doc("The names by which the image is known."),
  sizeBytes: int64(2).doc("How many bytes it takes."),
}).doc("An image that a node has.");
export interface ContainerImage extends Infer<typeof ContainerImage> {}

export const AttachedVolume = struct("io.k8s.api.core.v1.AttachedVolume", {
  name: named(1, "v1.UniqueVolumeName").always().expected().doc("Name of the volume."),
  devicePath: string(2).always().expected().doc("The device it appears as."),
}).doc("A volume that is attached to a node.");
export interface AttachedVolume extends Infer<typeof AttachedVolume> {}

export const NodeConfigStatus = struct("io.k8s.api.core.v1.NodeConfigStatus", {
  assigned: message(1, NodeConfigSource).doc("What the node is to use."),
  active: message(2, NodeConfigSource).doc("What the node uses."),
  lastKnownGood: message(3, NodeConfigSource).doc("What the node falls back to."),
  error: string(4).doc("What is wrong."),
}).doc("The state of a kubelet's configuration; the feature is gone.");
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

export const NodeRuntimeHandlerFeatures = struct("io.k8s.api.core.v1.NodeRuntimeHandlerFeatures", {
  recursiveReadOnlyMounts: bool(1)
    .pointer()
    .doc("Whether mounts can be read-only with all that is under them."),
  userNamespaces: bool(2).pointer().doc("Whether pods can have user namespaces."),
}).doc("What a runtime handler can do.");
export interface NodeRuntimeHandlerFeatures extends Infer<typeof NodeRuntimeHandlerFeatures> {}

export const NodeRuntimeHandler = struct("io.k8s.api.core.v1.NodeRuntimeHandler", {
  name: string(1).always().doc("Name of the handler; empty for the default."),
  features: message(2, NodeRuntimeHandlerFeatures).doc("What it can do."),
}).doc("A way in which a node can run containers.");
export interface NodeRuntimeHandler extends Infer<typeof NodeRuntimeHandler> {}

export const NodeFeatures = struct("io.k8s.api.core.v1.NodeFeatures", {
  supplementalGroupsPolicy: bool(1)
    .pointer()
    .doc("Whether pods can choose what groups of the image count."),
}).doc("What a node's runtime can do.");
export interface NodeFeatures extends Infer<typeof NodeFeatures> {}

export const NodeStatus = struct("io.k8s.api.core.v1.NodeStatus", {
  capacity: resourceList(1).doc("What the node has."),
  allocatable: resourceList(2).doc("What of it pods may use."),
  phase: named(3, "v1.NodePhase").known("Pending", "Running", "Terminated").doc("Unused."),
  conditions: list(4, NodeCondition).keyedBy("type").doc("Aspects of its state."),
  addresses: list(5, NodeAddress).keyedBy("type").doc("The addresses at which it is reached."),
  daemonEndpoints: value(6, NodeDaemonEndpoints).doc("Where its daemons listen."),
  nodeInfo: value(7, NodeSystemInfo).doc("What it is made of."),
  images: list(8, ContainerImage).atomic().doc("The images it has."),
  volumesInUse: listOf(9, namedString("v1.UniqueVolumeName"))
    .atomic()
    .doc("The attachable volumes that it uses."),
  volumesAttached: list(10, AttachedVolume).atomic().doc("The volumes attached to it."),
  config: message(11, NodeConfigStatus).doc("Unused; dynamic configuration is gone."),
  runtimeHandlers: list(12, NodeRuntimeHandler).atomic().doc("The ways it can run containers."),
  features: message(13, NodeFeatures).doc("What its runtime can do."),
  declaredFeatures: strings(14).atomic().doc("The features that it says it has, in order."),
})
  .defaults((status) => {
    if (Object.keys(status.allocatable ?? {}).length === 0 && status.capacity)
      status.allocatable = { ...status.capacity };
    roundUpResources(status.capacity);
    roundUpResources(status.allocatable);
  })
  .doc("What is known of a node.");
export interface NodeStatus extends Infer<typeof NodeStatus> {}
