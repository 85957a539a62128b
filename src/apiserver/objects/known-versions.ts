/**
 * Versions that upstream can still read, though it serves them no more or not by default: an object
 * that names one is of the right kind and of the wrong version.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  "admissionregistration.k8s.io/v1alpha1": [
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
  ],
  "admissionregistration.k8s.io/v1beta1": [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
  ],
  "apps/v1beta1": [
    "Deployment",
    "DeploymentRollback",
    "Scale",
    "StatefulSet",
    "ControllerRevision",
  ],
  "apps/v1beta2": [
    "Deployment",
    "Scale",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ControllerRevision",
  ],
  "authentication.k8s.io/v1alpha1": ["SelfSubjectReview"],
  "authentication.k8s.io/v1beta1": ["SelfSubjectReview", "TokenReview"],
  "authorization.k8s.io/v1beta1": [
    "SelfSubjectRulesReview",
    "SelfSubjectAccessReview",
    "SubjectAccessReview",
    "LocalSubjectAccessReview",
  ],
  "batch/v1beta1": ["CronJob"],
  "certificates.k8s.io/v1alpha1": ["ClusterTrustBundle"],
  "certificates.k8s.io/v1beta1": [
    "CertificateSigningRequest",
    "ClusterTrustBundle",
    "PodCertificateRequest",
  ],
  "coordination.k8s.io/v1alpha2": ["LeaseCandidate"],
  "coordination.k8s.io/v1beta1": ["Lease", "LeaseCandidate"],
  "discovery.k8s.io/v1beta1": ["EndpointSlice"],
  "events.k8s.io/v1beta1": ["Event"],
  "extensions/v1beta1": [
    "Deployment",
    "DeploymentRollback",
    "Scale",
    "DaemonSet",
    "Ingress",
    "ReplicaSet",
    "NetworkPolicy",
  ],
  "flowcontrol.apiserver.k8s.io/v1beta1": ["FlowSchema", "PriorityLevelConfiguration"],
  "flowcontrol.apiserver.k8s.io/v1beta2": ["FlowSchema", "PriorityLevelConfiguration"],
  "flowcontrol.apiserver.k8s.io/v1beta3": ["FlowSchema", "PriorityLevelConfiguration"],
  "networking.k8s.io/v1beta1": ["Ingress", "IngressClass", "IPAddress", "ServiceCIDR"],
  "node.k8s.io/v1alpha1": ["RuntimeClass"],
  "node.k8s.io/v1beta1": ["RuntimeClass"],
  "policy/v1beta1": ["PodDisruptionBudget", "Eviction"],
  "rbac.authorization.k8s.io/v1alpha1": [
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
  ],
  "rbac.authorization.k8s.io/v1beta1": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
  "resource.k8s.io/v1alpha3": ["DeviceTaintRule", "ResourcePoolStatusRequest"],
  "resource.k8s.io/v1beta1": [
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
  ],
  "resource.k8s.io/v1beta2": [
    "DeviceClass",
    "DeviceTaintRule",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceSlice",
  ],
  "scheduling.k8s.io/v1beta1": ["PriorityClass"],
  "storage.k8s.io/v1alpha1": ["VolumeAttachment", "CSIStorageCapacity", "VolumeAttributesClass"],
  "storage.k8s.io/v1beta1": [
    "StorageClass",
    "VolumeAttachment",
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "VolumeAttributesClass",
  ],
};

/** Whether upstream can read a kind in a version that may not be served. */
export const isKnownVersion = (apiVersion: string, kind: string): boolean =>
  (Object.hasOwn(known, apiVersion) && known[apiVersion]?.includes(kind)) ?? false;
