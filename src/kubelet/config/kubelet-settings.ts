import type { RateLimit } from "../../client/rate-limited.ts";
import { durationMillis } from "../../schema/values/duration.ts";
import type { KubeletOptions } from "../kubelet.ts";
import type { HeartbeatsOptions } from "../node/heartbeats.ts";
import type { NodeConfig } from "../node/node-config.ts";
import type { ReferenceStrategy } from "../pod/polled-references.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** The settings that a configuration has for the parts of a kubelet. */
export interface KubeletSettings {
  readonly kubelet: Pick<KubeletOptions, "allowedUnsafeSysctls" | "restartBackoff" | "resyncMs">;
  readonly node: Pick<NodeConfig, "isRegisteredByOthers" | "reportMs">;
  readonly heartbeats: Pick<HeartbeatsOptions, "periodMs" | "leaseSeconds">;
  /** How long a request of a heartbeat may take. */
  readonly heartbeatMs: number;
  /** Limits of requests to the API server, and of those about events. */
  readonly limits: { readonly requests: RateLimit; readonly events: RateLimit };
  /** How config maps and secrets are read. */
  readonly references: ReferenceStrategy;
}

/** Reads the settings of a configuration; some depend on its feature gates. */
export const kubeletSettings = (
  config: KubeletConfiguration,
  features: ReadonlySet<string>,
): KubeletSettings => ({
  kubelet: {
    allowedUnsafeSysctls: config.allowedUnsafeSysctls,
    restartBackoff: restartBackoff(config, features),
    resyncMs: durationMillis(config.syncFrequency),
  },
  node: {
    isRegisteredByOthers: config.registerNode === false,
    reportMs: durationMillis(config.nodeStatusReportFrequency),
  },
  heartbeatMs: Math.min(
    durationMillis(config.nodeStatusUpdateFrequency),
    (config.nodeLeaseDurationSeconds ?? 40) * 1000,
  ),
  limits: {
    requests: { qps: config.kubeAPIQPS ?? 50, burst: config.kubeAPIBurst ?? 100 },
    events: { qps: config.eventRecordQPS ?? 50, burst: config.eventBurst ?? 100 },
  },
  references: config.configMapAndSecretChangeDetectionStrategy as ReferenceStrategy,
  heartbeats: {
    periodMs: durationMillis(config.nodeStatusUpdateFrequency),
    leaseSeconds: config.nodeLeaseDurationSeconds,
  },
});

/** A maximum that is configured takes precedence over that of the gates. */
function restartBackoff(
  { crashLoopBackOff }: KubeletConfiguration,
  features: ReadonlySet<string>,
): KubeletSettings["kubelet"]["restartBackoff"] {
  const [shortest, usual] = features.has("ReduceDefaultCrashLoopBackOffDecay")
    ? [1000, 60_000]
    : [10_000, 300_000];
  const configured = features.has("KubeletCrashLoopBackOffMax")
    ? crashLoopBackOff.maxContainerRestartPeriod
    : undefined;
  const longest = configured === undefined ? usual : durationMillis(configured);
  return { shortest: Math.min(shortest, longest), longest };
}
