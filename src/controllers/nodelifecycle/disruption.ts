import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import { evictionRate, type ZoneNodes, type ZoneState, zoneStateOf } from "./zone-state.ts";

/** What becomes of all zones, from what they were and what their nodes are now. */
export interface DisruptionPlan {
  /**
   * `entered`: no node of the cluster is ready any more, which says more of the network than of them, so
   * that nobody is given up; `left`: some are again, so that all get their time anew.
   */
  readonly change: "none" | "entered" | "left";
  readonly states: ReadonlyMap<string, ZoneState>;
  /** The rates of the zones in which nodes are given up at another rate from now on. */
  readonly rates: ReadonlyMap<string, number>;
}

/** Decides on zones. Those without nodes that count are forgotten. */
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
