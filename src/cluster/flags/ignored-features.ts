import type { CheckedFeatures } from "./check-feature-gates.ts";
import type { FeatureSettings } from "./feature-gates-flag.ts";

/** The features that the API server and the controllers heed. */
export const heededFeatures: readonly string[] = [
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "CoordinatedLeaderElection",
  "DRADeviceTaintRules",
  "GangScheduling",
  "GenericWorkload",
  "MaxUnavailableStatefulSet",
  "PodCertificateRequest",
  "PodLogsQuerySplitStreams",
  "WorkloadWithJob",
];

/** The features that the scheduler heeds. */
export const schedulerFeatures: readonly string[] = [
  "DRADeviceTaintRules",
  "GangScheduling",
  "GenericWorkload",
];

/** The features that are on, of those that a program heeds, and warnings about other settings. */
export interface ChosenFeatures {
  readonly features: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** Adds the problems of feature gates to `problems`, and chooses among the features that a program heeds. */
export async function chooseFeatures(
  settings: FeatureSettings,
  problems: string[],
  heeded: readonly string[],
): Promise<ChosenFeatures> {
  // None of them is on by default.
  if (settings.size === 0) return { features: new Set(), warnings: [] };
  // Load the list of gates only if one is given.
  const { checkFeatureGates, stageOf } = await import("./check-feature-gates.ts");
  const checked: CheckedFeatures = checkFeatureGates(settings);
  problems.push(...checked.problems);
  return {
    features: new Set(heeded.filter((name) => checked.on.has(name))),
    warnings: checked.changed
      .filter((name) => !heeded.includes(name))
      .map((name) => {
        const included = heeded.filter((one) => name === `All${stageOf(one)}`);
        return included.length > 0
          ? `feature gate ${name} has an effect on ${included.join(", ")} alone`
          : `feature gate ${name} has no effect here`;
      }),
  };
}

/** The same for a program that heeds none: its warnings. */
export const ignoredFeatures = async (
  settings: FeatureSettings,
  problems: string[],
): Promise<readonly string[]> => (await chooseFeatures(settings, problems, [])).warnings;
