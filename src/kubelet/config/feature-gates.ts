/** The features that are on for settings of feature gates, and the problems of the settings. */
export interface FeatureState {
  readonly on: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** Resolves the settings of feature gates. */
export type FeatureGates = (settings: Readonly<Record<string, boolean>>) => FeatureState;

/** The feature gates that decide on defaults and validity of a configuration. */
export const configurationFeatures = [
  "CustomCPUCFSQuotaPeriod",
  "GracefulNodeShutdown",
  "GracefulNodeShutdownBasedOnPodPriority",
  "ImageMaximumGCAge",
  "KubeletCrashLoopBackOffMax",
  "KubeletEnsureSecretPulledImages",
  "KubeletServiceAccountTokenForCredentialProviders",
  "LoggingAlphaOptions",
  "LoggingBetaOptions",
  "MemoryQoS",
  "NodeLogQuery",
  "NodeSwap",
  "ReduceDefaultCrashLoopBackOffDecay",
  "RotateKubeletServerCertificate",
] as const;
export type ConfigurationFeature = (typeof configurationFeatures)[number];
