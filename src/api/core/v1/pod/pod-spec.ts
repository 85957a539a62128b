import {
  bool,
  int32,
  int64,
  list,
  message,
  named,
  string,
  stringMap,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { Container } from "../container/container.ts";
import { EphemeralContainer } from "../container/ephemeral-container.ts";
import { ResourceRequirements } from "../container/resource-requirements.ts";
import { PodSecurityContext } from "../container/security-context.ts";
import { LocalObjectReference } from "../object-reference.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { Affinity } from "../scheduling/affinity.ts";
import {
  PodOS,
  PodReadinessGate,
  PodResourceClaim,
  PodSchedulingGate,
  PodSchedulingGroup,
} from "../scheduling/scheduling.ts";
import { Toleration } from "../scheduling/toleration.ts";
import { TopologySpreadConstraint } from "../scheduling/topology-spread.ts";
import { Volume } from "../volume/volume.ts";
import { HostAlias } from "./host-alias.ts";
import { PodDNSConfig } from "./pod-dns.ts";

export const PodSpec = struct("io.k8s.api.core.v1.PodSpec", {
  volumes: list(1, Volume)
    .mapKeys("name")
    .patch("merge,retainKeys", "name")
    .doc("Volumes that the pod's containers may mount."),
  initContainers: list(20, Container)
    .keyedBy("name")
    .doc("Containers that run one after the other before the others start."),
  containers: list(2, Container)
    .always()
    .expected()
    .keyedBy("name")
    .doc("The containers of the pod; at least one."),
  ephemeralContainers: list(34, EphemeralContainer)
    .keyedBy("name")
    .doc("Containers added to a running pod, to look into it."),
  restartPolicy: named(3, "v1.RestartPolicy")
    .known("Always", "OnFailure", "Never")
    .default("Always")
    .doc("When containers that ended are started again."),
  terminationGracePeriodSeconds: int64(4)
    .pointer()
    .default(30)
    .doc("Seconds that the pod has to end by itself."),
  activeDeadlineSeconds: int64(5)
    .pointer()
    .doc("Seconds after its start at which the pod is ended as failed."),
  dnsPolicy: named(6, "v1.DNSPolicy")
    .known("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
    .default("ClusterFirst")
    .doc("Where the pod's resolver configuration comes from."),
  nodeSelector: stringMap(7).atomic().doc("Labels that the node must have."),
  serviceAccountName: string(8).doc("The service account that the pod runs as."),
  serviceAccount: string(9).doc("The former name of serviceAccountName."),
  automountServiceAccountToken: bool(21)
    .pointer()
    .doc("Whether a token of the service account is mounted."),
  nodeName: string(10).doc("The node that the pod runs on; set when it is scheduled."),
  hostNetwork: bool(11).doc("Whether the pod uses the network of its node."),
  hostPID: bool(12).doc("Whether the pod sees the processes of its node."),
  hostIPC: bool(13).doc("Whether the pod shares the IPC namespace of its node."),
  shareProcessNamespace: bool(27)
    .pointer()
    .doc("Whether the pod's containers see each other's processes."),
  securityContext: message(14, PodSecurityContext)
    .default({})
    .doc("Security settings of the pod as a whole."),
  imagePullSecrets: list(15, LocalObjectReference)
    .keyedBy("name")
    .doc("Secrets with which images are pulled."),
  hostname: string(16).doc("The host name that the pod sees; its own name if not given."),
  subdomain: string(17).doc("The subdomain of the pod's fully qualified host name."),
  affinity: message(18, Affinity).doc("Where the pod should be scheduled."),
  schedulerName: string(19)
    .default("default-scheduler")
    .doc("The scheduler that chooses the pod's node."),
  tolerations: list(22, Toleration).atomic().doc("Taints that the pod puts up with."),
  hostAliases: list(23, HostAlias).keyedBy("ip").doc("Lines added to the pod's hosts file."),
  priorityClassName: string(24).doc("The class that the pod's priority comes from."),
  priority: int32(25).pointer().doc("The priority; the higher the more important."),
  dnsConfig: message(26, PodDNSConfig).doc("What is added to the resolver configuration."),
  readinessGates: list(28, PodReadinessGate)
    .atomic()
    .doc("Further conditions without which the pod is not ready."),
  runtimeClassName: string(29).pointer().doc("The RuntimeClass that the pod is run with."),
  enableServiceLinks: bool(30)
    .pointer()
    .doc("Whether services are told to containers in their environment."),
  preemptionPolicy: named(31, "v1.PreemptionPolicy")
    .pointer()
    .known("PreemptLowerPriority", "Never")
    .doc("Whether pods of lower priority may be evicted for this one."),
  overhead: resourceList(32).doc("What running the pod costs beside its containers."),
  topologySpreadConstraints: list(33, TopologySpreadConstraint)
    .keyedBy("topologyKey", "whenUnsatisfiable")
    .doc("How evenly pods like this one are spread."),
  setHostnameAsFQDN: bool(35).pointer().doc("Whether the host name is the fully qualified one."),
  os: message(36, PodOS).doc("The operating system that the pod is made for."),
  hostUsers: bool(37).pointer().doc("Whether the pod uses the user namespace of its node."),
  schedulingGates: list(38, PodSchedulingGate)
    .keyedBy("name")
    .doc("What must be cleared before the pod is scheduled."),
  resourceClaims: list(39, PodResourceClaim)
    .mapKeys("name")
    .patch("merge,retainKeys", "name")
    .doc("Claims to devices that the pod's containers may use."),
  resources: message(40, ResourceRequirements).doc("Resources of the pod as a whole."),
  hostnameOverride: string(41)
    .pointer()
    .doc("The host name that the pod sees, whatever else says."),
  schedulingGroup: message(43, PodSchedulingGroup).doc(
    "The group of pods that this one is scheduled with.",
  ),
})
  .doc("What a pod is to be.")
  // Whoever holds a pod spec knows in what context it is valid: see validatePodSpec.
  .validatedElsewhere()
  .defaults((spec) => {
    roundUpResources(spec.overhead);
    const account = spec.serviceAccountName || spec.serviceAccount;
    if (!account) return;
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  });
export interface PodSpec extends Infer<typeof PodSpec> {}
