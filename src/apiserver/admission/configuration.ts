import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import type { ImagePolicyConfiguration } from "./image-policy/configuration.ts";
import type { EventLimit } from "./limits/event-rate-limit.ts";
import type { PodSecurityConfiguration } from "./pod-security/configuration.ts";
import type { ResourceQuotaConfiguration } from "./resource-quota/configuration.ts";

/** The configurations of plugins by name, all of which are optional. */
export interface AdmissionConfiguration {
  readonly DefaultTolerationSeconds?: {
    /** How many seconds pods stay on a node that is not ready; 300 if not given. */
    readonly notReady?: number;
    /** The same for a node that cannot be reached. */
    readonly unreachable?: number;
  };
  readonly EventRateLimit?: { readonly limits: readonly EventLimit[] };
  readonly ImagePolicyWebhook?: ImagePolicyConfiguration;
  /** Selectors such as `a=b,c=d` by namespace, and by `clusterDefaultNodeSelector`. */
  readonly PodNodeSelector?: Readonly<Record<string, string>>;
  readonly PodSecurity?: PodSecurityConfiguration;
  readonly PodTolerationRestriction?: {
    readonly default?: readonly Toleration[];
    readonly whitelist?: readonly Toleration[];
  };
  readonly ResourceQuota?: ResourceQuotaConfiguration;
}
