import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import type { EventLimit } from "./limits/event-rate-limit.ts";
import type { PodSecurityConfiguration } from "./pod-security/configuration.ts";
import type { ResourceQuotaConfiguration } from "./resource-quota/configuration.ts";

/** What plugins are told by whoever runs the server, by the plugin's name: all of it is optional. */
export interface AdmissionConfiguration {
  readonly DefaultTolerationSeconds?: {
    /** For how long pods stay on a node that is not ready, in seconds; 300 if not given. */
    readonly notReady?: number;
    /** The same for a node that cannot be reached. */
    readonly unreachable?: number;
  };
  readonly EventRateLimit?: { readonly limits: readonly EventLimit[] };
  /** Selectors such as `a=b,c=d` by namespace, and by `clusterDefaultNodeSelector`. */
  readonly PodNodeSelector?: Readonly<Record<string, string>>;
  readonly PodSecurity?: PodSecurityConfiguration;
  readonly PodTolerationRestriction?: {
    readonly default?: readonly Toleration[];
    readonly whitelist?: readonly Toleration[];
  };
  readonly ResourceQuota?: ResourceQuotaConfiguration;
}
