import { type Flag, valueFlag } from "../../cli/flag.ts";

/** The given settings of feature gates by component: `name=value`. */
export type FeatureSettings = ReadonlyMap<string, readonly string[]>;

export const featureGatesFlag: Flag<FeatureSettings> = valueFlag<FeatureSettings>({
  usage:
    "feature gates, as `NAME=BOOL,…` or kube:NAME=BOOL; names and locked values are checked as in v1.36; of them, ClusterTrustBundle, ClusterTrustBundleProjection, CoordinatedLeaderElection, DRADeviceTaintRules, GangScheduling, GenericWorkload, MaxUnavailableStatefulSet, PodCertificateRequest, PodLogsQuerySplitStreams and WorkloadWithJob have an effect, and a warning is logged of every other one that is changed",
  type: "colonSeparatedMultimapStringString",
  default: new Map(),
  read: readSettings,
  show: () => "",
});

function readSettings(text: string, before?: FeatureSettings): FeatureSettings {
  const settings = new Map(before);
  for (const pair of text.split(",").filter((part) => part !== "")) {
    const colon = pair.indexOf(":");
    const component = colon < 0 ? "" : pair.slice(0, colon).trim();
    const setting = pair.slice(colon + 1).trim();
    settings.set(component, [...(settings.get(component) ?? []), setting]);
  }
  return settings;
}
