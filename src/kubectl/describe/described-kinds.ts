import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../../api/autoscaling/v1/horizontal-pod-autoscaler.ts";
import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { CronJob } from "../../api/batch/v1/cron-job.ts";
import type { Job } from "../../api/batch/v1/job.ts";
import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Namespace } from "../../api/core/v1/namespace.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { LimitRange } from "../../api/core/v1/quota/limit-range.ts";
import type { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import type { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { Ingress } from "../../api/networking/v1/ingress.ts";
import type { IngressClass } from "../../api/networking/v1/ingress-class.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import type { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import type { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import type { Role } from "../../api/rbac/v1/role.ts";
import type { RoleBinding } from "../../api/rbac/v1/role-binding.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import type { PriorityClass } from "../../api/scheduling/v1/priority-class.ts";
import type { CSINode } from "../../api/storage/v1/csi-node.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { VolumeAttributesClass } from "../../api/storage/v1/volume-attributes-class.ts";
import { type DescribedKind, describedKind } from "./describe-context.ts";

/** `GROUP/VERSION`, the kind and its plural. */
type Names = readonly [groupVersion: string, kind: string, plural: string];

const namespaced = <O>(...names: Names): DescribedKind<O> => named<O>(names, "Namespaced");
const clusterWide = <O>(...names: Names): DescribedKind<O> => named<O>(names, "Cluster");

function named<O>(
  [groupVersion, kind, plural]: Names,
  scope: "Namespaced" | "Cluster",
): DescribedKind<O> {
  const slash = groupVersion.indexOf("/");
  const group = groupVersion.slice(0, Math.max(slash, 0));
  const version = groupVersion.slice(slash + 1);
  return describedKind<O>({ group, version, kind, plural, scope });
}

const rbac = "rbac.authorization.k8s.io/v1";
const networking = "networking.k8s.io/v1";
const storage = "storage.k8s.io/v1";

/** The kinds that have a description of their own, and what belongs to them. */
export const describedKinds = {
  pod: namespaced<Pod>("v1", "Pod", "pods"),
  replicationController: namespaced<ReplicationController>(
    "v1",
    "ReplicationController",
    "replicationcontrollers",
  ),
  secret: namespaced<Secret>("v1", "Secret", "secrets"),
  configMap: namespaced<ConfigMap>("v1", "ConfigMap", "configmaps"),
  service: namespaced<Service>("v1", "Service", "services"),
  serviceAccount: namespaced<ServiceAccount>("v1", "ServiceAccount", "serviceaccounts"),
  node: clusterWide<Node>("v1", "Node", "nodes"),
  namespace: clusterWide<Namespace>("v1", "Namespace", "namespaces"),
  limitRange: namespaced<LimitRange>("v1", "LimitRange", "limitranges"),
  resourceQuota: namespaced<ResourceQuota>("v1", "ResourceQuota", "resourcequotas"),
  endpoints: namespaced<Endpoints>("v1", "Endpoints", "endpoints"),
  persistentVolume: clusterWide<PersistentVolume>("v1", "PersistentVolume", "persistentvolumes"),
  persistentVolumeClaim: namespaced<PersistentVolumeClaim>(
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
  ),
  deployment: namespaced<Deployment>("apps/v1", "Deployment", "deployments"),
  replicaSet: namespaced<ReplicaSet>("apps/v1", "ReplicaSet", "replicasets"),
  statefulSet: namespaced<StatefulSet>("apps/v1", "StatefulSet", "statefulsets"),
  daemonSet: namespaced<DaemonSet>("apps/v1", "DaemonSet", "daemonsets"),
  job: namespaced<Job>("batch/v1", "Job", "jobs"),
  cronJob: namespaced<CronJob>("batch/v1", "CronJob", "cronjobs"),
  horizontalPodAutoscaler: namespaced<HorizontalPodAutoscaler>(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
  ),
  horizontalPodAutoscalerV1: namespaced<HorizontalPodAutoscalerV1>(
    "autoscaling/v1",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
  ),
  podDisruptionBudget: namespaced<PodDisruptionBudget>(
    "policy/v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
  ),
  endpointSlice: namespaced<EndpointSlice>(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    "endpointslices",
  ),
  ingress: namespaced<Ingress>(networking, "Ingress", "ingresses"),
  ingressClass: clusterWide<IngressClass>(networking, "IngressClass", "ingressclasses"),
  networkPolicy: namespaced<NetworkPolicy>(networking, "NetworkPolicy", "networkpolicies"),
  serviceCidr: clusterWide<ServiceCIDR>(networking, "ServiceCIDR", "servicecidrs"),
  serviceCidrBeta: clusterWide<ServiceCIDR>(`${networking}beta1`, "ServiceCIDR", "servicecidrs"),
  ipAddress: clusterWide<IPAddress>(networking, "IPAddress", "ipaddresses"),
  ipAddressBeta: clusterWide<IPAddress>(`${networking}beta1`, "IPAddress", "ipaddresses"),
  storageClass: clusterWide<StorageClass>(storage, "StorageClass", "storageclasses"),
  csiNode: clusterWide<CSINode>(storage, "CSINode", "csinodes"),
  volumeAttributesClass: clusterWide<VolumeAttributesClass>(
    storage,
    "VolumeAttributesClass",
    "volumeattributesclasses",
  ),
  role: namespaced<Role>(rbac, "Role", "roles"),
  clusterRole: clusterWide<ClusterRole>(rbac, "ClusterRole", "clusterroles"),
  roleBinding: namespaced<RoleBinding>(rbac, "RoleBinding", "rolebindings"),
  clusterRoleBinding: clusterWide<ClusterRoleBinding>(
    rbac,
    "ClusterRoleBinding",
    "clusterrolebindings",
  ),
  certificateSigningRequest: clusterWide<CertificateSigningRequest>(
    "certificates.k8s.io/v1",
    "CertificateSigningRequest",
    "certificatesigningrequests",
  ),
  priorityClass: clusterWide<PriorityClass>(
    "scheduling.k8s.io/v1",
    "PriorityClass",
    "priorityclasses",
  ),
  lease: namespaced<Lease>("coordination.k8s.io/v1", "Lease", "leases"),
  resourceSlice: clusterWide<ResourceSlice>(
    "resource.k8s.io/v1",
    "ResourceSlice",
    "resourceslices",
  ),
} as const;
