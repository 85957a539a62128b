import { expect, test } from "vitest";
import { noMetrics } from "../../base/metrics.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { resources } from "../verbs/verb-parts.test-support.ts";
import { pluginTable } from "./plugin-table.ts";
import { type AdmissionOptions, admissionPlugins } from "./plugins.ts";

/** The plugins that upstream has (v1.36), in its order; those with a star are on by default. */
const upstream = `AlwaysAdmit NamespaceAutoProvision *NamespaceLifecycle NamespaceExists
  LimitPodHardAntiAffinityTopology *LimitRanger *ServiceAccount NodeRestriction *TaintNodesByCondition
  AlwaysPullImages ImagePolicyWebhook *PodSecurity PodNodeSelector *Priority *DefaultTolerationSeconds
  PodTolerationRestriction EventRateLimit ExtendedResourceToleration *DefaultStorageClass
  *StorageObjectInUseProtection *PodGroupProtection OwnerReferencesPermissionEnforcement
  *PersistentVolumeClaimResize *RuntimeClass *CertificateApproval *CertificateSigning
  *ClusterTrustBundleAttest *CertificateSubjectRestriction *DefaultIngressClass DenyServiceExternalIPs
  *PodTopologyLabels *PodGroupWorkloadExists *NodeDeclaredFeatureValidator *JobValidation
  *PodResizeValidator *MutatingAdmissionPolicy *MutatingAdmissionWebhook *ValidatingAdmissionPolicy
  *ValidatingAdmissionWebhook *ResourceQuota AlwaysDeny`;

test("pluginTable: it has upstream's plugins in upstream's order", () => {
  const stars = pluginTable.map(({ name, isDefault }) => (isDefault ? `*${name}` : name));
  expect(stars).toEqual(upstream.split(/\s+/));
});

const made = (options: AdmissionOptions) => {
  // No plugin reads or writes anything before it is called.
  const unused = {} as never;
  return admissionPlugins(options, {
    reader: unused,
    access: unused,
    createNamespace: unused,
    webhooks: unused,
    openReviews: () => unused,
    resources,
    metrics: noMetrics,
    ticks: () => 0,
    environment: { clock: new VirtualClock(0) } as never,
  });
};

test("admissionPlugins: each plugin has its own name, in upstream's order", () => {
  const enable = pluginTable.map(({ name }) => name);
  const EventRateLimit = { limits: [{ type: "Server", qps: 1, burst: 1 }] } as const;
  const also = [{ name: "own", operations: [] }];
  const ImagePolicyWebhook = { imagePolicy: {}, server: {} as never };
  const configuration = { EventRateLimit, ImagePolicyWebhook };
  const names = made({ enable, configuration, also }).map(({ name }) => name);
  expect(names).toEqual([
    ...enable,
    "DeviceAdminAccess",
    "PodCertificateSigning",
    "escalation",
    "own",
  ]);
});

test("admissionPlugins: an invalid configuration is an error that names the plugin", () => {
  expect(() => made({ enable: ["EventRateLimit"] })).toThrow(
    `couldn't init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty`,
  );
  const configuration = { PodSecurity: { defaults: { enforce: "strict" } } };
  expect(() => made({ configuration })).toThrow(
    `couldn't init admission plugin "PodSecurity": defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted`,
  );
});
