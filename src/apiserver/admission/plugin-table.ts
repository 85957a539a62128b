import type { AdmissionPlugin } from "./admission.ts";
import { alwaysAdmit } from "./always-admit.ts";
import { alwaysDeny } from "./always-deny.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { certificateApproval } from "./certificate-approval.ts";
import { certificateSigning } from "./certificate-signing.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { clusterTrustBundleAttest } from "./cluster-trust-bundle-attest.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { jobValidation } from "./job-validation.ts";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceAutoProvision } from "./namespace-auto-provision.ts";
import { namespaceExists } from "./namespace-exists.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references-permission-enforcement.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import type { PluginSetup } from "./plugins.ts";
import { podGroupProtection } from "./pod-group-protection.ts";
import { podGroupWorkloadExists } from "./pod-group-workload-exists.ts";
import { podNodeSelector } from "./pod-node-selector.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { podTolerationRestriction } from "./pod-toleration-restriction.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { limitedResources } from "./resource-quota/configuration.ts";
import { resourceQuota } from "./resource-quota/resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

/** A plugin that upstream has. */
export interface PluginEntry {
  readonly name: string;
  readonly isDefault: boolean;
  /** Absent for one that is not there yet. */
  readonly make?: (setup: PluginSetup) => AdmissionPlugin;
  /** Why it is not there. */
  readonly missing?: string;
}

type Make = (setup: PluginSetup) => AdmissionPlugin;

const on = (name: string, make: Make): PluginEntry => ({ name, isDefault: true, make });
const off = (name: string, make: Make): PluginEntry => ({ name, isDefault: false, make });
const later = (name: string, isDefault: boolean, missing: string): PluginEntry => ({
  name,
  isDefault,
  missing,
});

const policies = "admission policies are not served yet";
const webhooks = "admission webhooks are not called yet";

/** All plugins that upstream has, in the order in which they are asked. */
export const pluginTable: readonly PluginEntry[] = [
  off("AlwaysAdmit", () => alwaysAdmit),
  off("NamespaceAutoProvision", (of) => namespaceAutoProvision(of.cluster, of.resources)),
  on("NamespaceLifecycle", (of) => namespaceLifecycle(of.cluster, of.resources)),
  off("NamespaceExists", (of) => namespaceExists(of.cluster, of.resources)),
  off("LimitPodHardAntiAffinityTopology", () => limitPodHardAntiAffinityTopology),
  on("LimitRanger", (of) => limitRanger(of.cluster, of.resources)),
  on("ServiceAccount", (of) => serviceAccount(of.cluster, of.resources)),
  later("NodeRestriction", false, "what nodes may write is not restricted yet"),
  on("TaintNodesByCondition", () => taintNodesByCondition),
  off("AlwaysPullImages", () => alwaysPullImages),
  later("ImagePolicyWebhook", false, "nobody is asked about images yet"),
  on("PodSecurity", (of) => podSecurity(of.cluster, of.resources, of.configuration.PodSecurity)),
  off("PodNodeSelector", (of) =>
    podNodeSelector({ ...of, selectors: of.configuration.PodNodeSelector }),
  ),
  on("Priority", (of) => priority(of.cluster, of.resources)),
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
    eventRateLimit(of.configuration.EventRateLimit?.limits ?? [], of.clock),
  ),
  off("ExtendedResourceToleration", () => extendedResourceToleration),
  on("DefaultStorageClass", (of) => defaultStorageClass(of.cluster, of.resources)),
  on("StorageObjectInUseProtection", () => storageObjectInUseProtection),
  on("PodGroupProtection", () => podGroupProtection),
  off("OwnerReferencesPermissionEnforcement", (of) =>
    ownerReferencesPermissionEnforcement(of.cluster, of.resources),
  ),
  on("PersistentVolumeClaimResize", (of) => persistentVolumeClaimResize(of.cluster, of.resources)),
  on("RuntimeClass", (of) => runtimeClass(of.cluster, of.resources)),
  on("CertificateApproval", (of) => certificateApproval(of.cluster)),
  on("CertificateSigning", (of) => certificateSigning(of.cluster)),
  on("ClusterTrustBundleAttest", (of) => clusterTrustBundleAttest(of.cluster)),
  on("CertificateSubjectRestriction", () => certificateSubjectRestriction),
  on("DefaultIngressClass", (of) => defaultIngressClass(of.cluster, of.resources)),
  off("DenyServiceExternalIPs", () => denyServiceExternalIps),
  on("PodTopologyLabels", (of) => podTopologyLabels(of.cluster, of.resources)),
  on("PodGroupWorkloadExists", (of) => podGroupWorkloadExists(of.cluster, of.resources)),
  on("NodeDeclaredFeatureValidator", (of) =>
    nodeDeclaredFeatureValidator(of.cluster, of.resources),
  ),
  on("JobValidation", (of) => jobValidation(of.cluster, of.resources)),
  on("PodResizeValidator", (of) => podResizeValidator(of.cluster, of.resources)),
  later("MutatingAdmissionPolicy", true, policies),
  later("MutatingAdmissionWebhook", true, webhooks),
  later("ValidatingAdmissionPolicy", true, policies),
  later("ValidatingAdmissionWebhook", true, webhooks),
  on("ResourceQuota", (of) =>
    resourceQuota({ ...of, limited: limitedResources(of.configuration.ResourceQuota) }),
  ),
  off("AlwaysDeny", () => alwaysDeny),
];
