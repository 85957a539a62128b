import { decodeJson } from "../../schema/json/decode.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { applyDefaults } from "../../schema/language/defaults.ts";
import type { Draft, InferInput } from "../../schema/language/struct.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { KubeletConfiguration } from "./kubelet-configuration.ts";

/** A configuration as it is written, before defaults. */
export type KubeletConfigurationInput = InferInput<typeof KubeletConfiguration>;

/** Fills in the defaults of a decoded configuration; some depend on its feature gates. */
export function defaultedConfiguration(
  decoded: KubeletConfigurationInput,
  gates: FeatureGates,
): KubeletConfiguration {
  const draft = copyJson(decoded) as Draft<KubeletConfiguration>;
  applyDefaults(KubeletConfiguration, draft);
  const { on } = gates(draft.featureGates ?? {});
  if (on.has("KubeletCrashLoopBackOffMax"))
    draft.crashLoopBackOff.maxContainerRestartPeriod ??= "5m0s";
  if (on.has("KubeletEnsureSecretPulledImages"))
    draft.imagePullCredentialsVerificationPolicy ??= "NeverVerifyPreloadedImages";
  return draft;
}

/** The configuration of a kubelet whose file names no field. */
export function defaultKubeletConfiguration(gates: FeatureGates): KubeletConfiguration {
  const { value } = decodeJson(KubeletConfiguration, "{}");
  return defaultedConfiguration(value as KubeletConfigurationInput, gates);
}

/** The configuration of a kubelet without a file: flags have kept the defaults of their first days. */
export function legacyKubeletConfiguration(gates: FeatureGates): KubeletConfiguration {
  const { authentication, authorization, ...others } = defaultKubeletConfiguration(gates);
  return {
    ...others,
    authentication: {
      ...authentication,
      anonymous: { enabled: true },
      webhook: { ...authentication.webhook, enabled: false },
    },
    authorization: { ...authorization, mode: "AlwaysAllow" },
    readOnlyPort: 10255,
  };
}

/** The hard eviction thresholds of a configuration file that names none. */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};
