import type { ConfigurationFeature, FeatureGates } from "./feature-gates.ts";

const onByDefault: readonly ConfigurationFeature[] = [
  "CustomCPUCFSQuotaPeriod",
  "GracefulNodeShutdown",
  "GracefulNodeShutdownBasedOnPodPriority",
  "ImageMaximumGCAge",
  "KubeletCrashLoopBackOffMax",
  "KubeletEnsureSecretPulledImages",
  "KubeletServiceAccountTokenForCredentialProviders",
  "LoggingBetaOptions",
  "NodeLogQuery",
  "NodeSwap",
  "RotateKubeletServerCertificate",
];

/** The defaults of v1.36; no setting is a problem. */
export const testGates: FeatureGates = (settings) => {
  const on = new Set<string>(onByDefault);
  for (const [name, isOn] of Object.entries(settings))
    if (isOn) on.add(name);
    else on.delete(name);
  return { on, problems: [] };
};
