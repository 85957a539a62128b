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

/** A node as it is by now, and its condition Ready as it was before anything was said of it. */
export interface LookedAt {
  readonly node: Node;
  readonly observed: NodeCondition | undefined;
}

/** What was last heard of all nodes; says of those that are silent that nothing is known of them. */
export class NodeHealths {
  readonly #options: NodeHealthsOptions;
  readonly #nodes = new Map<string, NodeHealth>();

  constructor(options: NodeHealthsOptions) {
    this.#options = options;
  }

  /** Whether a node was last seen not to be ready; false where nothing is known of it. */
  isNotReady(name: string): boolean {
    const ready = this.#nodes.get(name)?.ready;
    return ready !== undefined && ready.status !== "True";
  }

  /** Takes note of how a node is; true: it is silent for too long, and nobody has said so yet. */
  isLost(node: Node): boolean {
    const now = this.#now();
    return this.#isLost(node, this.#observe(node, now), now);
  }

  /** Says of a node that nothing is known of it, if it is silent; rejects where that cannot be said. */
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

  /** Gives all nodes their time anew. */
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
