import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { createEvictionManager, type EvictionManager } from "../../eviction/eviction-manager.ts";
import { evictionReserve } from "../../eviction/eviction-reserve.ts";
import type { Reclaim } from "../../eviction/filesystem-layout.ts";
import { parseThresholds, type ThresholdSettings } from "../../eviction/parse-thresholds.ts";
import type { Amounts } from "../../node/node-findings.ts";
import { createNodeObserver, type NodeObserverOptions } from "./node-observer.ts";

/** The eviction of pods on this machine. */
export interface Eviction extends EvictionManager {
  /** What the hard thresholds keep free of a capacity. */
  reserve(capacity: Amounts): Amounts;
}

export interface OpenEvictionOptions extends NodeObserverOptions, ThresholdSettings {
  readonly transitionMs: number;
  readonly maxPodGraceSeconds: number;
  readonly limitsLocalStorage?: boolean | undefined;
  readonly watchesMemory?: boolean | undefined;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Removes containers that ended, or images that nobody uses. */
  readonly reclaim?: ((what: Reclaim) => Promise<void>) | undefined;
}

/**
 * Opens the eviction of a node on this machine; throws if the thresholds are invalid. It starts with the kubelet.
 */
export function openEviction(options: OpenEvictionOptions): Eviction {
  const thresholds = parseThresholds(options);
  const observer = createNodeObserver(options);
  return {
    ...createEvictionManager({ ...options, thresholds, observer }),
    reserve: (capacity) => evictionReserve(thresholds, capacity),
  };
}
