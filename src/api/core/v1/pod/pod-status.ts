import {
  int64,
  list,
  message,
  named,
  string,
  strings,
  time,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { conditionStatus } from "../../../meta/v1/condition.ts";
import { ContainerStatus } from "../container/container-status.ts";
import { ResourceRequirements } from "../container/resource-requirements.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { podConditionType } from "../scheduling/scheduling.ts";

export const PodCondition = struct("io.k8s.api.core.v1.PodCondition", {
  type: podConditionType(1).doc("What the condition is about."),
  observedGeneration: int64(7).doc("The generation of the pod that the condition was made for."),
  status: conditionStatus(2),
  lastProbeTime: time(3).always().doc("When it was last looked at."),
  lastTransitionTime: time(4).always().doc("When the status last changed."),
  reason: string(5).doc("Why, in one word for programs."),
  message: string(6).doc("Why, for people."),
}).doc("One observation of the pod.");
export interface PodCondition extends Infer<typeof PodCondition> {}

export const HostIP = struct("io.k8s.api.core.v1.HostIP", {
  ip: string(1).always().expected().doc("The address."),
}).doc("An address of the node.");
export interface HostIP extends Infer<typeof HostIP> {}

export const PodIP = struct("io.k8s.api.core.v1.PodIP", {
  ip: string(1).always().expected().doc("The address."),
}).doc("An address of the pod.");
export interface PodIP extends Infer<typeof PodIP> {}

export const PodResourceClaimStatus = struct("io.k8s.api.core.v1.PodResourceClaimStatus", {
  name: string(1).always().expected().doc("The name of the claim in the pod's spec."),
  resourceClaimName: string(2).pointer().doc("The ResourceClaim that was made for it, if any."),
}).doc("Which ResourceClaim was made for a claim of the pod.");
export interface PodResourceClaimStatus extends Infer<typeof PodResourceClaimStatus> {}

export const ContainerExtendedResourceRequest = struct(
  "io.k8s.api.core.v1.ContainerExtendedResourceRequest",
  {
    containerName: string(1).always().expected().doc("The container that asks."),
    resourceName: string(2).always().expected().doc("The extended resource that it asks for."),
    requestName: string(3).always().expected().doc("The request in the ResourceClaim."),
  },
).doc("Which request of a ResourceClaim stands for a container's extended resource.");
export interface ContainerExtendedResourceRequest
  extends Infer<typeof ContainerExtendedResourceRequest> {}

export const PodExtendedResourceClaimStatus = struct(
  "io.k8s.api.core.v1.PodExtendedResourceClaimStatus",
  {
    requestMappings: list(1, ContainerExtendedResourceRequest)
      .always()
      .expected()
      .atomic()
      .doc("Which request stands for which resource."),
    resourceClaimName: string(2).always().expected().doc("The ResourceClaim of the pod."),
  },
).doc("The ResourceClaim that was made for the pod's extended resources.");
export interface PodExtendedResourceClaimStatus
  extends Infer<typeof PodExtendedResourceClaimStatus> {}

export const NodeAllocatableResourceClaimStatus = struct(
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus",
  {
    resourceClaimName: string(1).always().expected().doc("The ResourceClaim."),
    containers: strings(2).set().doc("The containers that use it."),
    resources: resourceList(3).always().expected().doc("What it takes of the node's resources."),
  },
).doc("What a ResourceClaim takes of the resources that a node offers to pods.");
export interface NodeAllocatableResourceClaimStatus
  extends Infer<typeof NodeAllocatableResourceClaimStatus> {}

export const PodStatus = struct("io.k8s.api.core.v1.PodStatus", {
  observedGeneration: int64(17).doc("The generation of the pod that the status was made for."),
  phase: named(1, "v1.PodPhase")
    .known("Pending", "Running", "Succeeded", "Failed", "Unknown")
    .doc("Where the pod stands in its life."),
  conditions: list(2, PodCondition).keyedBy("type").doc("Observations of the pod."),
  message: string(3).doc("Why the pod is as it is, for people."),
  reason: string(4).doc("Why, in one word for programs."),
  nominatedNodeName: string(11).doc("The node on which room is made for the pod."),
  hostIP: string(5).doc("The node's address."),
  hostIPs: list(16, HostIP).atomic().merge("ip").doc("The node's addresses; hostIP is the first."),
  podIP: string(6).doc("The pod's address."),
  podIPs: list(12, PodIP).keyedBy("ip").doc("The pod's addresses; podIP is the first."),
  startTime: time(7).doc("When the kubelet took the pod on."),
  initContainerStatuses: list(10, ContainerStatus).atomic().doc("How the init containers do."),
  containerStatuses: list(8, ContainerStatus).atomic().doc("How the containers do."),
  qosClass: named(9, "v1.PodQOSClass")
    .known("Guaranteed", "Burstable", "BestEffort")
    .doc("What the pod's requests and limits make of it; never changes."),
  ephemeralContainerStatuses: list(13, ContainerStatus)
    .atomic()
    .doc("How the ephemeral containers do."),
  resize: named(14, "v1.PodResizeStatus")
    .known("InProgress", "Deferred", "Infeasible")
    .doc("How far a change of resources is; conditions tell this now."),
  resourceClaimStatuses: list(15, PodResourceClaimStatus)
    .mapKeys("name")
    .patch("merge,retainKeys", "name")
    .doc("Which ResourceClaims were made for the pod."),
  extendedResourceClaimStatus: message(18, PodExtendedResourceClaimStatus).doc(
    "The ResourceClaim that was made for extended resources.",
  ),
  allocatedResources: resourceList(19).doc("What the node has set aside for the pod."),
  resources: message(20, ResourceRequirements).doc("The requests and limits that are in force."),
  nodeAllocatableResourceClaimStatuses: list(21, NodeAllocatableResourceClaimStatus)
    .atomic()
    .doc("What ResourceClaims take of the node's resources."),
})
  .doc("What is known of a pod.")
  .validatedElsewhere()
  .defaults((status) => {
    roundUpResources(status.allocatedResources);
    const { podIP, podIPs } = status;
    // The first address stands in both fields. Where they differ, the older field is right.
    if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
    else if (podIPs?.[0]) status.podIP = podIPs[0].ip;
  });
export interface PodStatus extends Infer<typeof PodStatus> {}

/** The condition of a type, if the status has it. */
export const podCondition = (
  { conditions = [] }: Pick<PodStatus, "conditions">,
  type: string,
): PodCondition | undefined => conditions.find((condition) => condition.type === type);

/** The conditions of a pod with one set anew; its time changes when its status does. */
export function withPodCondition(
  { conditions = [] }: Pick<PodStatus, "conditions">,
  condition: Pick<PodCondition, "type" | "status" | "reason" | "message">,
  now: string,
): PodCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const time = old?.status === condition.status ? old.lastTransitionTime : now;
  const fresh = { ...condition, lastTransitionTime: time } as PodCondition;
  if (!old) return [...conditions, fresh];
  return conditions.map((other) => (other === old ? fresh : other));
}
