import type { ConfigurationFeature } from "../feature-gates.ts";
import type { KubeletConfiguration } from "../kubelet-configuration.ts";

/** One validation of a configuration. */
export interface Validation {
  readonly config: KubeletConfiguration;
  /** The features that are on. */
  readonly features: { has(feature: ConfigurationFeature): boolean };
  /** Reports a problem. */
  readonly report: (problem: string) => void;
  /** Reports a problem, after the words "invalid configuration: ". */
  readonly invalid: (problem: string) => void;
}
