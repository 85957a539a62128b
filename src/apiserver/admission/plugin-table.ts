import type { AdmissionPlugin } from "./admission.ts";
import { alwaysAdmit } from "./always-admit.ts";
import { alwaysDeny } from "./always-deny.ts";
import { certificateApproval } from "./certificates/certificate-approval.ts";
import { certificateSigning } from "./certificates/certificate-signing.ts";
import { certificateSubjectRestriction } from "./certificates/certificate-subject-restriction.ts";
import { clusterTrustBundleAttest } from "./certificates/cluster-trust-bundle-attest.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";
import { imagePolicyWebhook } from "./image-policy/image-policy-webhook.ts";
import { jobValidation } from "./job-validation.ts";
import { eventRateLimit } from "./limits/event-rate-limit.ts";
import { limitRanger } from "./limits/limit-ranger.ts";
import { namespaceAutoProvision } from "./namespaces/namespace-auto-provision.ts";
import { namespaceExists } from "./namespaces/namespace-exists.ts";
import { namespaceLifecycle } from "./namespaces/namespace-lifecycle.ts";
import { nodeRestriction } from "./nodes/node-restriction.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import type { PluginSetup } from "./plugins.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { alwaysPullImages } from "./pods/always-pull-images.ts";
import { defaultTolerationSeconds } from "./pods/default-toleration-seconds.ts";
import { extendedResourceToleration } from "./pods/extended-resource-toleration.ts";
import { limitPodHardAntiAffinityTopology } from "./pods/limit-pod-hard-anti-affinity-topology.ts";
import { nodeDeclaredFeatureValidator } from "./pods/node-declared-feature-validator.ts";
import { podGroupProtection } from "./pods/pod-group-protection.ts";
import { podGroupWorkloadExists } from "./pods/pod-group-workload-exists.ts";
import { podNodeSelector } from "./pods/pod-node-selector.ts";
import { podResizeValidator } from "./pods/pod-resize-validator.ts";
import { podTolerationRestriction } from "./pods/pod-toleration-restriction.ts";
import { podTopologyLabels } from "./pods/pod-topology-labels.ts";
import { priority } from "./pods/priority.ts";
import { runtimeClass } from "./pods/runtime-class.ts";
import { serviceAccount } from "./pods/service-account.ts";
import { mutatingAdmissionPolicy } from "./policies/mutating-admission-policy.ts";
import { validatingAdmissionPolicy } from "./policies/validating-admission-policy.ts";
import { limitedResources } from "./resource-quota/configuration.ts";
import { resourceQuota } from "./resource-quota/resource-quota.ts";
import { defaultStorageClass } from "./storage/default-storage-class.ts";
import { persistentVolumeClaimResize } from "./storage/persistent-volume-claim-resize.ts";
import { storageObjectInUseProtection } from "./storage/storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { mutatingAdmissionWebhook } from "./webhooks/mutating-admission-webhook.ts";
import { validatingAdmissionWebhook } from "./webhooks/validating-admission-webhook.ts";

/** A plugin of upstream. */
export interface PluginEntry {
  readonly name: string;
  readonly isDefault: boolean;
  readonly make: (setup: PluginSetup) => AdmissionPlugin;
}

type Make = (setup: PluginSetup) => AdmissionPlugin;

const on = (name: string, make: Make): PluginEntry => ({ name, isDefault: true, make });
const off = (name: string, make: Make): PluginEntry => ({ name, isDefault: false, make });

/** All plugins of upstream, in the order in which they run. */
export const pluginTable: readonly PluginEntry[] = [
  off("AlwaysAdmit", () => alwaysAdmit),
  off("NamespaceAutoProvision", namespaceAutoProvision),
  on("NamespaceLifecycle", namespaceLifecycle),
  off("NamespaceExists", namespaceExists),
  off("LimitPodHardAntiAffinityTopology", () => limitPodHardAntiAffinityTopology),
  on("LimitRanger", limitRanger),
  on("ServiceAccount", serviceAccount),
  off("NodeRestriction", nodeRestriction),
  on("TaintNodesByCondition", () => taintNodesByCondition),
  off("AlwaysPullImages", () => alwaysPullImages),
  off("ImagePolicyWebhook", (of) =>
    imagePolicyWebhook({ ...of, configuration: of.configuration.ImagePolicyWebhook }),
  ),
  on("PodSecurity", (of) => podSecurity(of, of.configuration.PodSecurity)),
  off("PodNodeSelector", (of) =>
    podNodeSelector({ ...of, selectors: of.configuration.PodNodeSelector }),
  ),
  on("Priority", priority),
  on("DefaultTolerationSeconds", (of) =>
    defaultTolerationSeconds(of.configuration.DefaultTolerationSeconds),
  ),
  off("PodTolerationRestriction", (of) =>
    podTolerationRestriction({
      ...of,
      configuration: of.configuration.PodTolerationRestriction,
    }),
  ),
  off("EventRateLimit", (of) =>
    eventRateLimit(of.configuration.EventRateLimit?.limits ?? [], of.environment.clock),
  ),
  off("ExtendedResourceToleration", () => extendedResourceToleration),
  on("DefaultStorageClass", defaultStorageClass),
  on("StorageObjectInUseProtection", () => storageObjectInUseProtection),
  on("PodGroupProtection", () => podGroupProtection),
  off("OwnerReferencesPermissionEnforcement", ownerReferencesPermissionEnforcement),
  on("PersistentVolumeClaimResize", persistentVolumeClaimResize),
  on("RuntimeClass", runtimeClass),
  on("CertificateApproval", certificateApproval),
  on("CertificateSigning", certificateSigning),
  on("ClusterTrustBundleAttest", clusterTrustBundleAttest),
  on("CertificateSubjectRestriction", () => certificateSubjectRestriction),
  on("DefaultIngressClass", defaultIngressClass),
  off("DenyServiceExternalIPs", () => denyServiceExternalIps),
  on("PodTopologyLabels", podTopologyLabels),
  on("PodGroupWorkloadExists", podGroupWorkloadExists),
  on("NodeDeclaredFeatureValidator", nodeDeclaredFeatureValidator),
  on("JobValidation", jobValidation),
  on("PodResizeValidator", podResizeValidator),
  on("MutatingAdmissionPolicy", mutatingAdmissionPolicy),
  on("MutatingAdmissionWebhook", mutatingAdmissionWebhook),
  on("ValidatingAdmissionPolicy", validatingAdmissionPolicy),
  on("ValidatingAdmissionWebhook", validatingAdmissionWebhook),
  on("ResourceQuota", (of) =>
    resourceQuota({ ...of, limited: limitedResources(of.configuration.ResourceQuota) }),
  ),
  off("AlwaysDeny", () => alwaysDeny),
];
