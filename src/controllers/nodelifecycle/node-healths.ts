import type { Lease } from "../../api/coordination/v1/lease.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { nodeCondition } from "../../api/core/v1/node/node-state.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import { sleep } from "../../base/clock.ts";
import type { CacheReader } from "../../client/informer/informer-options.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import {
  isSilent,
  type NodeHealth,
  type Now,
  observeNode,
  silentConditions,
} from "./node-health.ts";
import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";

export interface NodeHealthsOptions extends Pick<RunnableContext, "client" | "clock" | "ticks"> {
  /** The leases of nodes. */
  readonly leases: CacheReader<Lease>;
  readonly settings: NodeLifecycleSettings;
  readonly signal: AbortSignal;
}

/** A node after its status was written, and its Ready condition before. */
export interface LookedAt {
  readonly node: Node;
  readonly observed: NodeCondition | undefined;
}

/** The last heartbeats of all nodes; marks nodes without heartbeats as unknown. */
export class NodeHealths {
  readonly #options: NodeHealthsOptions;
  readonly #nodes = new Map<string, NodeHealth>();

  constructor(options: NodeHealthsOptions) {
    this.#options = options;
  }

  /** Whether a node was last seen as not ready; false if it was never seen. */
  isNotReady(name: string): boolean {
    const ready = this.#nodes.get(name)?.ready;
    return ready !== undefined && ready.status !== "True";
  }

  /** Notes the heartbeat of a node; returns whether it is too old and the status does not show that yet. */
  isLost(node: Node): boolean {
    const now = this.#now();
    return this.#isLost(node, this.#observe(node, now), now);
  }

  /** Marks a node without heartbeats as unknown; rejects if the status cannot be written. */
  async look(cached: Node): Promise<LookedAt> {
    const { client, clock, signal } = this.#options;
    let node = cached;
    for (let tries = 0; ; tries++) {
      const now = this.#now();
      const health = this.#observe(node, now);
      const observed = nodeCondition(node, "Ready");
      if (!this.#isLost(node, health, now)) return { node, observed };
      const conditions = silentConditions(node, now.time);
      const silent = { ...node, status: { ...node.status, conditions } };
      try {
        await client.update(Node, silent, { subresource: "status", signal });
        this.#nodes.set(nameOf(node), this.#toldOf(silent, health));
        return { node: silent, observed };
      } catch (error) {
        if (tries === mostRetries) throw error;
      }
      node = await client.get(Node, { name: nameOf(node) }, { signal });
      await sleep(clock, retryMs, signal);
    }
  }

  /** Starts a new grace period for all nodes. */
  renewAll(): void {
    const heardAt = this.#options.ticks();
    for (const [name, health] of this.#nodes) this.#nodes.set(name, { ...health, heardAt });
  }

  forget(name: string): void {
    this.#nodes.delete(name);
  }

  #observe(node: Node, now: Now): NodeHealth {
    const name = nameOf(node);
    const health = observeNode(this.#nodes.get(name), { node, lease: this.#leaseOf(name) }, now);
    this.#nodes.set(name, health);
    return health;
  }

  #isLost(node: Node, health: NodeHealth, now: Now): boolean {
    if (nodeCondition(node, "Ready")?.status === "Unknown") return false;
    return isSilent(health, node, { now, settings: this.#options.settings });
  }

  #toldOf(node: Node, { heardAt }: NodeHealth): NodeHealth {
    const lease = this.#leaseOf(nameOf(node));
    return {
      heardAt,
      ready: nodeCondition(node, "Ready"),
      renewTime: lease?.spec?.renewTime,
      hasLease: lease !== undefined,
    };
  }

  #leaseOf(name: string): Lease | undefined {
    return this.#options.leases.get({ namespace: "kube-node-lease", name });
  }

  #now(): Now {
    const { ticks, clock } = this.#options;
    return { ticks: ticks(), time: clock.now() };
  }
}

const nameOf = ({ metadata }: Node): string => metadata.name ?? "";
const retryMs = 20;
const mostRetries = 5;
