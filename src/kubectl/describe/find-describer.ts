import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import { describeCertificateSigningRequest } from "./access/certificate-signing-request.ts";
import { describeConfigMap } from "./access/config-map.ts";
import { describeClusterRole, describeRole } from "./access/role.ts";
import { describeClusterRoleBinding, describeRoleBinding } from "./access/role-binding.ts";
import { describeSecret } from "./access/secret.ts";
import { describeServiceAccount } from "./access/service-account.ts";
import { describeLimitRange } from "./cluster/limit-range.ts";
import { describeNamespace } from "./cluster/namespace.ts";
import { describeNode } from "./cluster/node.ts";
import { describePriorityClass } from "./cluster/priority-class.ts";
import { describeResourceQuota } from "./cluster/resource-quota.ts";
import { genericDescriber } from "./generic.ts";
import { describeEndpointSlice } from "./network/endpoint-slice.ts";
import { describeEndpoints } from "./network/endpoints.ts";
import { describeIngress } from "./network/ingress.ts";
import { describeIngressClass } from "./network/ingress-class.ts";
import { describeIpAddress } from "./network/ip-address.ts";
import { describeNetworkPolicy } from "./network/network-policy.ts";
import { describeService } from "./network/service.ts";
import { describeServiceCidr } from "./network/service-cidr.ts";
import type { Describer } from "./object-describer.ts";
import { describePod } from "./pods/pod.ts";
import { describeCsiNode } from "./storage/csi-node.ts";
import { describePersistentVolume } from "./storage/persistent-volume.ts";
import { describePersistentVolumeClaim } from "./storage/persistent-volume-claim.ts";
import { describeStorageClass } from "./storage/storage-class.ts";
import { describeVolumeAttributesClass } from "./storage/volume-attributes-class.ts";
import { describeCronJob } from "./workloads/cron-job.ts";
import { describeDaemonSet } from "./workloads/daemon-set.ts";
import { describeDeployment } from "./workloads/deployment.ts";
import { describeHorizontalPodAutoscaler } from "./workloads/horizontal-pod-autoscaler.ts";
import { describeJob } from "./workloads/job.ts";
import { describePodDisruptionBudget } from "./workloads/pod-disruption-budget.ts";
import { describeReplicaSet } from "./workloads/replica-set.ts";
import { describeReplicationController } from "./workloads/replication-controller.ts";
import { describeStatefulSet } from "./workloads/stateful-set.ts";

/** Describers by `GROUP/KIND`; they request the version that they know. */
const describers: ReadonlyMap<string, Describer> = new Map([
  ["/Pod", describePod],
  ["/ReplicationController", describeReplicationController],
  ["/Secret", describeSecret],
  ["/Service", describeService],
  ["/ServiceAccount", describeServiceAccount],
  ["/Node", describeNode],
  ["/LimitRange", describeLimitRange],
  ["/ResourceQuota", describeResourceQuota],
  ["/PersistentVolume", describePersistentVolume],
  ["/PersistentVolumeClaim", describePersistentVolumeClaim],
  ["/Namespace", describeNamespace],
  ["/Endpoints", describeEndpoints],
  ["/ConfigMap", describeConfigMap],
  ["discovery.k8s.io/EndpointSlice", describeEndpointSlice],
  ["autoscaling/HorizontalPodAutoscaler", describeHorizontalPodAutoscaler],
  ["networking.k8s.io/Ingress", describeIngress],
  ["networking.k8s.io/IngressClass", describeIngressClass],
  ["networking.k8s.io/ServiceCIDR", describeServiceCidr],
  ["networking.k8s.io/IPAddress", describeIpAddress],
  ["networking.k8s.io/NetworkPolicy", describeNetworkPolicy],
  ["batch/Job", describeJob],
  ["batch/CronJob", describeCronJob],
  ["apps/StatefulSet", describeStatefulSet],
  ["apps/Deployment", describeDeployment],
  ["apps/DaemonSet", describeDaemonSet],
  ["apps/ReplicaSet", describeReplicaSet],
  ["certificates.k8s.io/CertificateSigningRequest", describeCertificateSigningRequest],
  ["storage.k8s.io/StorageClass", describeStorageClass],
  ["storage.k8s.io/CSINode", describeCsiNode],
  ["storage.k8s.io/VolumeAttributesClass", describeVolumeAttributesClass],
  ["policy/PodDisruptionBudget", describePodDisruptionBudget],
  ["rbac.authorization.k8s.io/Role", describeRole],
  ["rbac.authorization.k8s.io/ClusterRole", describeClusterRole],
  ["rbac.authorization.k8s.io/RoleBinding", describeRoleBinding],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", describeClusterRoleBinding],
  ["scheduling.k8s.io/PriorityClass", describePriorityClass],
]);

/** The describer of a kind; kinds without one of their own are described by their fields. */
export const findDescriber = (kind: DiscoveredKind): Describer =>
  describers.get(`${kind.group}/${kind.kind}`) ?? genericDescriber(kind);
