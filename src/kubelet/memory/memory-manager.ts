import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isSidecar } from "../pod/container/restart-policy.ts";
import { containersInOrder, endsBeforeOthers } from "../topology/containers-in-order.ts";
import { maskOf, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import type { ResourceProvider } from "../topology/resource-provider.ts";
import type { ResourceHints, TopologyHint } from "../topology/topology-hint.ts";
import type { MemoryAssignments } from "./memory-assignments.ts";
import { bestHint, haveEnough, includes, memoryHints, violatesGroups } from "./memory-hints.ts";
import type { MemoryMetrics } from "./memory-metrics.ts";
import {
  hasMemoryOfNodes,
  type MemoryAmounts,
  memoryRequests,
  podMemoryRequests,
} from "./memory-requests.ts";
import { type MemoryBlock, withBlock } from "./memory-state.ts";
import { ReusableBlocks } from "./reusable-blocks.ts";

export interface MemoryManagerOptions {
  readonly assignments: MemoryAssignments;
  readonly metrics: MemoryMetrics;
  /** Stores the assignments, so that a later kubelet continues with them. */
  readonly save: () => Promise<void>;
  /** Whether a pod still runs: the memory of others is free. */
  readonly isActive: (podUid: string) => boolean;
}

/** Gives memory of NUMA nodes to the containers of guaranteed pods. */
export class MemoryManager implements ResourceProvider {
  readonly #options: MemoryManagerOptions;
  readonly #assignments: MemoryAssignments;
  readonly #reusable = new ReusableBlocks();

  constructor(options: MemoryManagerOptions) {
    this.#options = options;
    this.#assignments = options.assignments;
  }

  concerns(pod: Pod): boolean {
    return hasMemoryOfNodes(pod);
  }

  hints(pod: Pod, container: Container): ResourceHints {
    if (!hasMemoryOfNodes(pod) || this.#hasEnded(pod, container)) return anywhere;
    this.#collect();
    const { uid = "" } = pod.metadata;
    const requests = memoryRequests(container);
    const known = this.#assignments.of(uid, container.name);
    return known ? knownHints(known, requests) : this.#freeHints(uid, requests);
  }

  podHints(pod: Pod): ResourceHints {
    if (!hasMemoryOfNodes(pod)) return anywhere;
    this.#collect();
    const { uid = "" } = pod.metadata;
    const requests = podMemoryRequests(pod);
    for (const { name } of containersInOrder(pod)) {
      const known = this.#assignments.of(uid, name);
      if (known) return knownHints(known, requests);
    }
    return this.#freeHints(uid, requests);
  }

  async allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    if (!hasMemoryOfNodes(pod) || this.#hasEnded(pod, container)) return;
    const { metrics, save } = this.#options;
    const { uid = "" } = pod.metadata;
    metrics.requested();
    const known = this.#assignments.of(uid, container.name);
    if (known) return this.#reusable.use(pod, container, known);
    try {
      this.#collect();
      this.#assign(pod, container, hint);
    } catch (error) {
      metrics.failed();
      throw error;
    }
    await save();
  }

  /** The NUMA nodes whose memory a container may use; empty for all. */
  nodesOf(podUid: string, container: string): readonly number[] {
    const blocks = this.#assignments.of(podUid, container) ?? [];
    return [...new Set(blocks.flatMap(({ nodes }) => nodes))].sort((a, b) => a - b);
  }

  /** Returns the memory of init containers that have ended when a later container of their pod starts. */
  async starts(pod: Pod, container: Pick<Container, "name">): Promise<void> {
    const { uid = "" } = pod.metadata;
    if (!this.#assignments.pods.has(uid)) return;
    const all = containersInOrder(pod);
    const position = all.findIndex(({ name }) => name === container.name);
    const ended = all.slice(0, Math.max(0, position)).filter((one) => endsBeforeOthers(pod, one));
    const released = ended.filter(({ name }) => this.#assignments.release(uid, name));
    if (released.length > 0) await this.#options.save();
  }

  /** Returns the memory of a pod that has ended. */
  async release(podUid: string): Promise<void> {
    if (!this.#assignments.pods.has(podUid)) return;
    this.#assignments.releasePod(podUid);
    await this.#options.save();
  }

  #assign(pod: Pod, container: Container, hint: TopologyHint): void {
    const { uid = "" } = pod.metadata;
    const requests = memoryRequests(container);
    const nodes = this.#chooseNodes(uid, requests, hint);
    const mask = maskOf(nodes);
    const blocks = Array.from(requests, ([type, bytes]) => ({ nodes, type, bytes }));
    let { machine } = this.#assignments;
    for (const block of blocks) {
      const reused = this.#reusable.bytesOf(uid, mask, block.type);
      machine = withBlock(machine, { ...block, bytes: Math.max(0, block.bytes - reused) });
    }
    this.#assignments.setMachine(machine);
    this.#reusable.use(pod, container, blocks);
    this.#assignments.set(uid, container.name, blocks);
    for (const block of blocks) this.#takeFromInitContainers(pod, container, block);
  }

  /** The nodes of a hint, if they have enough memory, else more, or the best ones if it has none. */
  #chooseNodes(podUid: string, requests: MemoryAmounts, hint: TopologyHint): readonly number[] {
    const { machine } = this.#assignments;
    let chosen = hint;
    if (chosen.affinity === undefined) {
      const best = bestHint(this.#possible(podUid, requests));
      if (!best)
        throw new Error(
          "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available",
        );
      if (!best.isPreferred && hint.isPreferred)
        throw new Error("[memorymanager] failed to find the default preferred hint");
      chosen = best;
    }
    if (!haveEnough(machine, nodesOf(chosen.affinity ?? 0n), requests))
      chosen = this.#extended(podUid, requests, chosen);
    const nodes = nodesOf(chosen.affinity ?? 0n);
    if (violatesGroups(machine, nodes))
      throw new Error("[memorymanager] preferred hint violates NUMA node allocation");
    return nodes;
  }

  /** Merging hints may leave fewer nodes than this resource needs. */
  #extended(podUid: string, requests: MemoryAmounts, hint: TopologyHint): TopologyHint {
    const wider = this.#possible(podUid, requests).filter((one) =>
      includes(one, hint.affinity ?? 0n),
    );
    const best = bestHint(wider);
    if (!best)
      throw new Error(
        "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
      );
    if (!best.isPreferred && hint.isPreferred)
      throw new Error("[memorymanager] failed to find the extended preferred hint");
    return best;
  }

  #possible(podUid: string, requests: MemoryAmounts): readonly TopologyHint[] {
    const reusable = (mask: NumaMask, type: string): number =>
      this.#reusable.bytesOf(podUid, mask, type);
    return memoryHints(this.#assignments.machine, requests, reusable);
  }

  #freeHints(podUid: string, requests: MemoryAmounts): ResourceHints {
    const hints = this.#possible(podUid, requests);
    // Without any hint upstream names no resource, so that other providers decide, and the allocation fails.
    return hints.length === 0
      ? anywhere
      : new Map(Array.from(requests.keys(), (type) => [type, hints]));
  }

  /** The blocks of all containers add up to what their pod has: what is used again is no longer an init container's. */
  #takeFromInitContainers(pod: Pod, container: Container, block: MemoryBlock): void {
    const { uid = "" } = pod.metadata;
    let left = block.bytes;
    for (const { name } of earlierInitContainers(pod, container)) {
      const blocks = this.#assignments.of(uid, name);
      if (!blocks || left === 0) continue;
      const after = blocks.map((one) => {
        if (one.type !== block.type || maskOf(one.nodes) !== maskOf(block.nodes)) return one;
        const taken = Math.min(one.bytes, left);
        left -= taken;
        return { ...one, bytes: one.bytes - taken };
      });
      this.#assignments.set(uid, name, after);
    }
  }

  /** Whether an init container has returned its memory, because a later container runs since before this kubelet. */
  #hasEnded(pod: Pod, container: Container): boolean {
    const known = this.#assignments.pods.get(pod.metadata.uid ?? "");
    if (!known || known.has(container.name) || !endsBeforeOthers(pod, container)) return false;
    const all = containersInOrder(pod);
    return all.slice(all.indexOf(container) + 1).some(({ name }) => known.has(name));
  }

  /** Returns the memory of pods that ended unnoticed. */
  #collect(): void {
    for (const uid of [...this.#assignments.pods.keys()])
      if (!this.#options.isActive(uid)) this.#assignments.releasePod(uid);
  }
}

const anywhere: ResourceHints = new Map();

/** The hints of a container that has memory; none if that is not what is requested. */
function knownHints(blocks: readonly MemoryBlock[], requests: MemoryAmounts): ResourceHints {
  const isSame =
    blocks.length === requests.size &&
    blocks.every(({ type, bytes }) => requests.get(type) === bytes);
  if (!isSame) return anywhere;
  return new Map(
    blocks.map(({ type, nodes }) => [type, [{ affinity: maskOf(nodes), isPreferred: true }]]),
  );
}

function earlierInitContainers({ spec }: Pod, container: Container): readonly Container[] {
  const all = spec.initContainers ?? [];
  const position = all.findIndex(({ name }) => name === container.name);
  return (position < 0 ? all : all.slice(0, position)).filter((one) => !isSidecar(one));
}
