import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { defaultSettings } from "../../../../controllers/controller-settings.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent, shownAt, told } from "./controller-flag.ts";

const year = 365 * 24 * 3_600_000;

export const namespaceFlags = section("Namespace-controller flags", {
  "concurrent-namespace-syncs": told(
    "concurrentNamespaceSyncs",
    "NamespaceController.ConcurrentNamespaceSyncs",
    intFlag({
      usage: "how many namespaces that are to go are worked on at a time",
      default: defaultSettings.concurrentNamespaceSyncs,
    }),
  ),
  "namespace-sync-period": told(
    "namespaceSyncPeriodMs",
    "NamespaceController.NamespaceSyncPeriod",
    durationFlag({
      usage: "how often all namespaces are looked at anew",
      default: defaultSettings.namespaceSyncPeriodMs,
    }),
  ),
});

export const quotaFlags = section("Resourcequota-controller flags", {
  "concurrent-resource-quota-syncs": told(
    "concurrentResourceQuotaSyncs",
    "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
    intFlag({
      usage: "how many quotas are worked on at a time",
      default: defaultSettings.concurrentResourceQuotaSyncs,
    }),
  ),
  "resource-quota-sync-period": told(
    "resourceQuotaSyncPeriodMs",
    "ResourceQuotaController.ResourceQuotaSyncPeriod",
    durationFlag({
      usage: "how often the use of all quotas is counted anew",
      default: defaultSettings.resourceQuotaSyncPeriodMs,
    }),
  ),
});

export const garbageCollectorFlags = section("Garbage-collector-controller flags", {
  "concurrent-gc-syncs": told(
    "concurrentGarbageCollectorSyncs",
    "GarbageCollectorController.ConcurrentGCSyncs",
    intFlag({
      usage: "how many objects the garbage collector works on at a time",
      default: defaultSettings.concurrentGarbageCollectorSyncs,
    }),
  ),
  "enable-garbage-collector": told(
    "enableGarbageCollector",
    "GarbageCollectorController.EnableGarbageCollector",
    boolFlag({
      usage: "whether objects go whose owners are gone",
      default: defaultSettings.enableGarbageCollector,
    }),
  ),
});

export const podGarbageFlags = section("Pod-garbage-collector-controller flags", {
  "terminated-pod-gc-threshold": told(
    "terminatedPodThreshold",
    "PodGCController.TerminatedPodGCThreshold",
    intFlag({
      usage: "how many pods that have ended are kept; any number if 0 or less",
      default: defaultSettings.terminatedPodThreshold,
    }),
  ),
});

export const serviceAccountFlags = section("Serviceaccount-controller flags", {
  "root-ca-file": shownAt(
    "SAController.RootCAFile",
    stringFlag({
      usage:
        "the `FILE` of the authorities by which pods know the API server, published in every namespace (default: those of the kubeconfig)",
    }),
  ),
  "service-account-private-key-file": shownAt(
    "SAController.ServiceAccountKeyFile",
    stringFlag({
      usage: "the `FILE` of the key that signs tokens kept in secrets; without it there are none",
    }),
  ),
  "concurrent-serviceaccount-token-syncs": told(
    "concurrentServiceAccountTokenSyncs",
    "SAController.ConcurrentSATokenSyncs",
    intFlag({
      usage: "how many tokens kept in secrets are worked on at a time",
      default: defaultSettings.concurrentServiceAccountTokenSyncs,
    }),
  ),
});

export const legacyTokenFlags = section("Legacy-serviceaccount-token-cleaner-controller flags", {
  "legacy-service-account-token-clean-up-period": absent(
    "legacy-serviceaccount-token-cleaner-controller",
    "LegacySATokenCleaner.CleanUpPeriod",
    durationFlag({
      usage: "for how long a token that was made by itself is kept unused",
      default: year,
    }),
  ),
});

export const admissionPolicyFlags = section("Validatingadmissionpolicy-status-controller flags", {
  "concurrent-validating-admission-policy-status-syncs": absent(
    "validatingadmissionpolicy-status-controller",
    "ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    intFlag({ usage: "how many admission policies are checked at a time", default: 5 }),
  ),
});
