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
  /** Taints a node for eviction; false if that failed. */
  readonly giveUp: (node: string) => Promise<boolean>;
}

/** The zones of the cluster: their states, and their queues of nodes to evict. */
export class Zones {
  readonly #options: ZonesOptions;
  /** The states of zones that have nodes. */
  #states = new Map<string, ZoneState>();
  /** One for every zone that was ever seen. */
  readonly #queues = new Map<string, ZoneQueue>();

  constructor(options: ZonesOptions) {
    this.#options = options;
  }

  /** Adds the zone of a node, if it is new. */
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

  /** Queues a node for eviction; `isAnew`: even if it was processed before. */
  giveUp(node: Node, isAnew: boolean): void {
    const queue = this.#queues.get(zoneOf(node));
    const { name = "" } = node.metadata;
    if (isAnew) queue?.remove(name);
    queue?.add(name);
  }

  /** Removes a node from the queue of its zone, or from all queues if it is deleted: its zone may have changed. */
  keep(name: string, zone?: string): void {
    if (zone !== undefined) this.#queues.get(zone)?.remove(name);
    else for (const queue of this.#queues.values()) queue.remove(name);
  }

  /** Updates the states of zones, and returns whether full disruption of the cluster began or ended. */
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

  /** Processes the queues at their rates. */
  run(): void {
    for (const queue of this.#queues.values()) void queue.run();
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
  }
}
