import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";

/** The state of a zone; `Initial` before its first check. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

/** The nodes of a zone that count. */
export interface ZoneNodes {
  readonly ready: number;
  readonly notReady: number;
}

/**
 * The state of a zone: full disruption if no node is ready, partial disruption if at least a share of them
 * is not. With ready nodes left, two failed nodes are no disruption.
 */
export function zoneStateOf({ ready, notReady }: ZoneNodes, threshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return "FullDisruption";
  // Upstream computes in single precision, where 11 / 20 >= 0.55.
  const share = Math.fround(notReady / (notReady + ready));
  return notReady > 2 && share >= Math.fround(threshold) ? "PartialDisruption" : "Normal";
}

/** The eviction rate of a zone in nodes a second, by its state and size. */
export function evictionRate(
  state: ZoneState,
  size: number,
  settings: Pick<
    NodeLifecycleSettings,
    "nodeEvictionRate" | "secondaryNodeEvictionRate" | "largeClusterSizeThreshold"
  >,
): number {
  if (state !== "PartialDisruption") return settings.nodeEvictionRate;
  return size > settings.largeClusterSizeThreshold ? settings.secondaryNodeEvictionRate : 0;
}
