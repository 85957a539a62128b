import { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady, nodeCondition, zoneOf } from "../../api/core/v1/node/node-state.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { hasTaint, taintKey } from "../../api/core/v1/scheduling/well-known-taint.ts";
import type { CacheReader } from "../../client/informer/informer-options.ts";
import { type KubernetesObject, keyOf } from "../../client/resource-kind.ts";
import type {
  EventRecorder,
  RecordedEvent,
} from "../../controller-runtime/events/event-recorder.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { atATime } from "../at-a-time.ts";
import { byNode } from "../pods-by-node.ts";
import { changeTaints } from "./change-taints.ts";
import { markPodsNotReady } from "./mark-pods-not-ready.ts";
import { NodeHealths, type NodeHealthsOptions } from "./node-healths.ts";
import { type ZoneMetrics, zoneMetrics } from "./zone-metrics.ts";
import type { ZoneNodes } from "./zone-state.ts";
import { Zones } from "./zones.ts";

export interface NodeMonitorOptions
  extends NodeHealthsOptions,
    Pick<RunnableContext, "random" | "log" | "metrics"> {
  readonly nodes: CacheReader<Node>;
  /** With the index `byNode`. */
  readonly pods: CacheReader<Pod>;
  readonly events: EventRecorder;
}

/**
 * Monitors the heartbeats of all nodes: marks nodes without heartbeats as unknown, and evicts pods from
 * nodes that are not ready, with a rate for each zone. A healthy node costs a few comparisons.
 */
export class NodeMonitor {
  /** The last heartbeats of nodes. */
  readonly healths: NodeHealths;
  readonly #options: NodeMonitorOptions;
  readonly #metrics: ZoneMetrics;
  readonly #zones: Zones;
  /** The nodes that were seen in the last pass. */
  readonly #known = new Map<string, Node>();
  /** Nodes whose pods could not all be marked as not ready. */
  readonly #unmarked = new Set<string>();

  constructor(options: NodeMonitorOptions) {
    this.#options = options;
    this.healths = new NodeHealths(options);
    this.#metrics = zoneMetrics(options.metrics);
    this.#zones = new Zones({
      ...options,
      metrics: this.#metrics,
      giveUp: (name) => this.#giveUp(name),
    });
  }

  /** Checks all nodes once. */
  async pass(): Promise<void> {
    const { nodes, ticks } = this.#options;
    const begun = ticks();
    const all = nodes.list();
    await this.#takeNote(all);
    const zones = new Map<string, { ready: number; notReady: number }>();
    const seen = (node: Node): void => {
      if (node.metadata.labels?.[excluded] !== undefined) return;
      const counts = zones.get(zoneOf(node)) ?? { ready: 0, notReady: 0 };
      counts[isNodeReady(node) ? "ready" : "notReady"]++;
      zones.set(zoneOf(node), counts);
    };
    const laborious = all.filter((node) => {
      const since = ticks();
      if (this.#needsWork(node)) return true;
      this.#queueOrKeep(node);
      seen(node);
      this.#metrics.looked(ticks() - since);
      return false;
    });
    await atATime(parallel, laborious, async (node) => {
      const since = ticks();
      try {
        await this.#care(node, seen);
      } catch (error) {
        this.#fault("updating a node failed", error, node);
      }
      this.#metrics.looked(ticks() - since);
    });
    await this.#dealWithDisruption(zones);
    this.#metrics.passed(ticks() - begun);
    this.#zones.run();
  }

  close(): void {
    this.#zones.close();
  }

  /** Records events for new and deleted nodes. A new node loses its NoExecute taints. */
  async #takeNote(all: readonly Node[]): Promise<void> {
    const added: Node[] = [];
    for (const node of all) {
      const { name = "" } = node.metadata;
      this.#zones.enter(node);
      if (this.#known.has(name)) continue;
      added.push(node);
      this.#recordEvent(node, "RegisteredNode", `event: Registered Node ${name} in Controller`);
      this.#known.set(name, node);
    }
    await atATime(parallel, added, (node) => this.#keep(node));
    if (this.#known.size === all.length) return;
    const present = new Set(all.map(({ metadata }) => metadata.name));
    for (const [name, node] of this.#known) {
      if (present.has(name)) continue;
      this.#recordEvent(node, "RemovingNode", `event: Removing Node ${name} from Controller`);
      this.#known.delete(name);
      this.healths.forget(name);
      this.#unmarked.delete(name);
      this.#zones.keep(name);
    }
  }

  /** Notes the heartbeat of a node; returns whether it needs writes. */
  #needsWork(node: Node): boolean {
    const { name = "" } = node.metadata;
    if (this.healths.isLost(node) || this.#unmarked.has(name)) return true;
    const status = nodeCondition(node, "Ready")?.status;
    const isUnreachable = hasTaint(node, unreachable);
    if (status === "True") return isUnreachable || hasTaint(node, notReady);
    return status === "False" ? isUnreachable : status === "Unknown" && hasTaint(node, notReady);
  }

  /** Does the writes that a node needs. */
  async #care(cached: Node, seen: (node: Node) => void): Promise<void> {
    const { node, observed } = await this.healths.look(cached);
    seen(node);
    const { name = "" } = node.metadata;
    const ready = nodeCondition(node, "Ready");
    if (ready) {
      await this.#swapOrKeepTaints(node, ready);
      const isLost = ready.status !== "True" && observed?.status === "True";
      if (isLost) this.#recordEvent(node, "NodeNotReady", "status is now: NodeNotReady");
      if (isLost || (this.#unmarked.has(name) && observed?.status !== "True")) {
        this.#unmarked.add(name);
        await markPodsNotReady(this.#options, this.#options.pods.byIndex(byNode, name));
      }
    }
    this.#unmarked.delete(name);
  }

  /** Swaps the taints of a node that is already tainted, and removes both from a ready node. */
  async #swapOrKeepTaints(node: Node, { status }: NodeCondition): Promise<void> {
    const [add, remove] = status === "False" ? [notReady, unreachable] : [unreachable, notReady];
    if (status === "True") await this.#keep(node);
    else if (hasTaint(node, remove))
      await this.#tryToChangeTaints(node, { add: [add], remove: [remove] });
    else this.#queueOrKeep(node);
  }

  /** Queues a node for eviction or removes it from the queue, by its Ready condition. */
  #queueOrKeep(node: Node): void {
    const status = nodeCondition(node, "Ready")?.status;
    if (status === "True") this.#zones.keep(node.metadata.name ?? "", zoneOf(node));
    if (status === "False") this.#zones.giveUp(node, !hasTaint(node, notReady));
    if (status === "Unknown") this.#zones.giveUp(node, !hasTaint(node, unreachable));
  }

  /** Stops the eviction of a node's pods. */
  async #keep(node: Node): Promise<boolean> {
    if (hasTaint(node, unreachable) || hasTaint(node, notReady))
      if (!(await this.#tryToChangeTaints(node, { add: [], remove: [unreachable, notReady] })))
        return false;
    this.#zones.keep(node.metadata.name ?? "", zoneOf(node));
    return true;
  }

  /** Taints a node by its current Ready condition, so that its pods are evicted. */
  async #giveUp(name: string): Promise<boolean> {
    const { nodes, client, signal } = this.#options;
    const cached = nodes.get({ name });
    if (!cached) return true;
    try {
      // The cache may not show the latest status yet.
      const node = await client.get(Node, { name }, { signal });
      const status = nodeCondition(node, "Ready")?.status;
      if (status === undefined) return false;
      if (status === "True") return true;
      const [add, remove] = status === "False" ? [notReady, unreachable] : [unreachable, notReady];
      const isDone = await this.#tryToChangeTaints(node, { add: [add], remove: [remove] });
      if (isDone) this.#metrics.evicted(zoneOf(node), 1);
      return isDone;
    } catch (error) {
      this.#fault("tainting a node for eviction failed", error, cached);
      return false;
    }
  }

  async #tryToChangeTaints(
    node: Node,
    changes: { readonly add: readonly Taint[]; readonly remove: readonly Taint[] },
  ): Promise<boolean> {
    try {
      await changeTaints(this.#options, node, () => changes);
      return true;
    } catch (error) {
      this.#fault("changing the taints of a node failed", error, node);
      return false;
    }
  }

  async #dealWithDisruption(zones: ReadonlyMap<string, ZoneNodes>): Promise<void> {
    const { nodes, log } = this.#options;
    const change = this.#zones.assess(zones);
    if (change === "entered") {
      log.info("no node is ready: evictions stop until one is");
      await atATime(parallel, nodes.list(), (node) => this.#keep(node));
    }
    if (change === "left") {
      log.info("some nodes are ready again: all get a new grace period");
      this.healths.renewAll();
    }
  }

  #recordEvent({ metadata: { name, uid } }: Node, reason: string, text: string): void {
    const object: KubernetesObject = { apiVersion: "v1", kind: "Node", metadata: { name, uid } };
    const event: RecordedEvent = { type: "Normal", reason, note: `Node ${name} ${text}` };
    this.#options.events.record(object, event);
  }

  #fault(message: string, error: unknown, node: Node): void {
    const { log, signal } = this.#options;
    if (!signal.aborted) logFailure(log, message, error, { node: keyOf(node).name });
  }
}

const unreachable: Taint = { key: taintKey.unreachable, effect: "NoExecute" };
const notReady: Taint = { key: taintKey.notReady, effect: "NoExecute" };
/** Nodes with this label do not count for the state of their zone. */
const excluded = "node.kubernetes.io/exclude-disruption";
const parallel = 8;
