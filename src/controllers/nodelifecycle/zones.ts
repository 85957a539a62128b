import type { Node } from "../../api/core/v1/node/node.ts";
import { zoneOf } from "../../api/core/v1/node/node-state.ts";
import type { Clock } from "../../base/clock.ts";
import { planDisruption } from "./disruption.ts";
import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import type { ZoneMetrics } from "./zone-metrics.ts";
import { ZoneQueue } from "./zone-queue.ts";
import type { ZoneNodes, ZoneState } from "./zone-state.ts";

export interface ZonesOptions {
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly settings: NodeLifecycleSettings;
  readonly metrics: ZoneMetrics;
  /** Gives a node up; false: it did not work. */
  readonly giveUp: (node: string) => Promise<boolean>;
}

/** The zones of the cluster: how they fare, and which of their nodes are to be given up. */
export class Zones {
  readonly #options: ZonesOptions;
  /** The states of zones that have nodes. */
  #states = new Map<string, ZoneState>();
  /** One for every zone that there ever was. */
  readonly #queues = new Map<string, ZoneQueue>();

  constructor(options: ZonesOptions) {
    this.#options = options;
  }

  /** Has the zone of a node begin, if it is the first. */
  enter(node: Node): void {
    const zone = zoneOf(node);
    if (this.#states.has(zone)) return;
    const { clock, ticks, settings, metrics, giveUp } = this.#options;
    const rate = settings.nodeEvictionRate;
    this.#states.set(zone, "Initial");
    const known = this.#queues.get(zone);
    if (known) known.setRate(rate);
    else this.#queues.set(zone, new ZoneQueue({ clock, ticks, rate, work: giveUp }));
    metrics.evicted(zone, 0);
  }

  /** Has a node given up when it is its turn; `isAnew`: even if it was before. */
  giveUp(node: Node, isAnew: boolean): void {
    const queue = this.#queues.get(zoneOf(node));
    const { name = "" } = node.metadata;
    if (isAnew) queue?.remove(name);
    queue?.add(name);
  }

  /** Has a node not given up; without its zone where it is gone, since that may have changed. */
  keep(name: string, zone?: string): void {
    if (zone !== undefined) this.#queues.get(zone)?.remove(name);
    else for (const queue of this.#queues.values()) queue.remove(name);
  }

  /** Takes note of how the nodes of all zones are, and says whether all of the cluster began or ended to be lost. */
  assess(zones: ReadonlyMap<string, ZoneNodes>): "none" | "entered" | "left" {
    const { settings, metrics } = this.#options;
    const { change, states, rates } = planDisruption(this.#states, zones, settings);
    for (const zone of this.#states.keys())
      if (!states.has(zone)) metrics.zone(zone, { ready: 0, notReady: 0 });
    for (const [zone, nodes] of zones) metrics.zone(zone, nodes);
    this.#states = new Map(states);
    for (const [zone, rate] of rates) this.#queues.get(zone)?.setRate(rate);
    return change;
  }

  /** Gives up whose turn it is, and others as time goes on. */
  run(): void {
    for (const queue of this.#queues.values()) void queue.run();
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
  }
}
