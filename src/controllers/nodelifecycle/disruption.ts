import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import { evictionRate, type ZoneNodes, type ZoneState, zoneStateOf } from "./zone-state.ts";

/** The changes of all zones, from their former states and their nodes. */
export interface DisruptionPlan {
  /**
   * `entered`: no node of the cluster is ready, which is probably a fault of the network, so that no pods
   * are evicted; `left`: some nodes are ready again, and all get a new grace period.
   */
  readonly change: "none" | "entered" | "left";
  readonly states: ReadonlyMap<string, ZoneState>;
  /** The eviction rates of zones whose rate changes. */
  readonly rates: ReadonlyMap<string, number>;
}

/** Plans the states and eviction rates of zones. Zones without relevant nodes are forgotten. */
export function planDisruption(
  before: ReadonlyMap<string, ZoneState>,
  zones: ReadonlyMap<string, ZoneNodes>,
  settings: NodeLifecycleSettings,
): DisruptionPlan {
  const states = new Map<string, ZoneState>();
  for (const [zone, nodes] of zones)
    states.set(zone, zoneStateOf(nodes, settings.unhealthyZoneThreshold));
  const known = [...zones.keys()].map((zone) => before.get(zone) ?? "Initial");
  const areAll = [...states.values()].every(isFull);
  const wereAll = known.every(isFull);
  if (areAll && wereAll) return { change: "none", states, rates: new Map() };
  if (areAll) {
    return {
      change: "entered",
      states,
      rates: new Map([...zones.keys()].map((zone) => [zone, 0])),
    };
  }
  const rates = new Map<string, number>();
  for (const [zone, state] of states) {
    const { ready, notReady } = zones.get(zone) as ZoneNodes;
    if (wereAll || before.get(zone) !== state)
      rates.set(zone, evictionRate(state, ready + notReady, settings));
  }
  return { change: wereAll ? "left" : "none", states, rates };
}

const isFull = (state: ZoneState): boolean => state === "FullDisruption";
