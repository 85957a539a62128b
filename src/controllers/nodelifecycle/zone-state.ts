import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";

/** How a zone fares: `Initial` until it is looked at for the first time. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

/** The nodes of a zone that count. */
export interface ZoneNodes {
  readonly ready: number;
  readonly notReady: number;
}

/**
 * The state of a zone: disrupted in full where no node is ready, in part where at least a share of them
 * is not. Two nodes alone never disrupt a zone that has others.
 */
export function zoneStateOf({ ready, notReady }: ZoneNodes, threshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return "FullDisruption";
  // Upstream computes in single precision, where 11 of 20 are no less than 0.55.
  const share = Math.fround(notReady / (notReady + ready));
  return notReady > 2 && share >= Math.fround(threshold) ? "PartialDisruption" : "Normal";
}

/** How many nodes a second may be given up in a zone, by its state and how many nodes it has. */
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
