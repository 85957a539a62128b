import type { Random } from "../../../base/random.ts";
import type { ProbeMetrics } from "./probe-metrics.ts";

/** What the probes of a kubelet have in common. */
export interface Probing {
  /**
   * When the kubelet started. Soon after that, the first probe of a container waits for a random part of its
   * period, so that a restart does not send all probes at once; and containers that ran before stay ready.
   */
  readonly startedAt: number;
  readonly random: Random;
  readonly metrics: ProbeMetrics;
}
