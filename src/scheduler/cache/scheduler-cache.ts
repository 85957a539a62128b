import type { Node } from "../../api/core/v1/node/node.ts";
import { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Resource } from "../framework/resource.ts";
import { PodGroupStates } from "../pod-groups/pod-group-states.ts";
import { ImageStates } from "./image-states.ts";
import { NodeSnapshot } from "./node-snapshot.ts";
import { NodeTree } from "./node-tree.ts";

/** A node as the cache knows it. */
export interface CachedNode {
  readonly name: string;
  /** Whether the node is gone, and only pods on it are known. */
  readonly isDeleted: boolean;
  readonly requested: Resource;
  readonly allocatable: Resource;
  /** The keys of its pods, and of those among them whose binding is not confirmed. */
  readonly pods: readonly string[];
  readonly assumed: readonly string[];
}

/**
 * The nodes and their pods, confirmed or assumed. A pod is assumed on a node as soon as the node is
 * chosen; later it is forgotten, because binding failed, or confirmed by the API server.
 *
 *     assume ──→ confirm (addPod) ──→ updatePod … ──→ removePod
 *       └─────→ forget
 */
export class SchedulerCache {
  readonly podGroups = new PodGroupStates();
  /** Nodes by name, including unknown or deleted ones that have pods. */
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PodInfo>();
  readonly #assumed = new Set<string>();
  readonly #tree = new NodeTree();
  readonly #images = new ImageStates();
  /** Names of nodes that changed since the last snapshot, in order. */
  readonly #changed = new Set<string>();
  /** Whether nodes were added, removed or moved to another zone. */
  #isTreeChanged: boolean = false;

  newSnapshot(): NodeSnapshot {
    return new NodeSnapshot((name) => this.#images.get(name));
  }

  get sizes(): { readonly nodes: number; readonly pods: number; readonly assumed: number } {
    return { nodes: this.#nodes.size, pods: this.#pods.size, assumed: this.#assumed.size };
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Returns a pod that is on a node or assumed there. */
  pod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid);
  }

  assume(pod: PodInfo): void {
    if (this.#pods.has(pod.uid))
      throw new Error(`pod ${pod.uid}(${pod.key}) is in the cache, so can't be assumed`);
    this.#add(pod);
    this.#assumed.add(pod.uid);
    this.podGroups.assume(pod.pod);
  }

  /** Forgets an assumed pod; does nothing if it was removed, and throws if it was confirmed. */
  forget({ uid, key }: PodInfo): void {
    const known = this.#pods.get(uid);
    if (!known) return;
    if (!this.#assumed.has(uid))
      throw new Error(`pod ${uid}(${key}) wasn't assumed so cannot be forgotten`);
    this.#remove(known);
    this.podGroups.forget(known.pod);
  }

  /** Adds a pod that is on a node, whether or not it was assumed there. */
  addPod(pod: PodInfo): void {
    this.podGroups.set(pod.pod);
    const known = this.#pods.get(pod.uid);
    if (known && this.#swap(known, pod)) return;
    if (known) this.#remove(known);
    this.#add(pod);
  }

  removePod(uid: string): void {
    const known = this.#pods.get(uid);
    if (!known) return;
    this.#remove(known);
    this.podGroups.remove(known.pod);
  }

  setNode(node: Node): void {
    const { name = "" } = node.metadata;
    const info = this.#nodeNamed(name);
    const old = info.node;
    if (old) {
      this.#tree.update(old, node);
      // Informers share unchanged parts of objects, so that equal images are usually identical.
      if (old.status.images !== node.status.images) {
        this.#images.remove(old);
        info.images = this.#images.add(node);
      }
      if (old.metadata.labels !== node.metadata.labels) this.#isTreeChanged = true;
    } else {
      this.#tree.add(node);
      info.images = this.#images.add(node);
      this.#isTreeChanged = true;
    }
    info.setNode(node);
    this.#changed.add(name);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (!info?.node) return;
    this.#tree.remove(info.node);
    this.#images.remove(info.node);
    info.removeNode();
    this.#isTreeChanged = true;
    this.#changed.add(name);
    // Events for its pods may still arrive.
    if (info.pods.length === 0) this.#nodes.delete(name);
  }

  /** Updates a snapshot; copies only changed nodes. */
  update(snapshot: NodeSnapshot): void {
    let affinityChanged = this.#isTreeChanged;
    for (const name of this.#changed) {
      const info = this.#nodes.get(name);
      if (!info?.node) {
        snapshot.byName.delete(name);
        continue;
      }
      const before = snapshot.byName.get(name);
      const copy = info.clone();
      snapshot.byName.set(name, copy);
      if (before) replace(snapshot, before, copy);
      affinityChanged ||= isAffinityOther(before, copy);
    }
    this.#changed.clear();
    if (this.#isTreeChanged) {
      snapshot.nodes = this.#tree
        .names()
        .map((name) => snapshot.byName.get(name))
        .filter((info) => info !== undefined);
      snapshot.nodes.forEach((info, i) => {
        info.index = i;
      });
    }
    this.#isTreeChanged = false;
    if (!affinityChanged) return;
    snapshot.nodesWithAffinity = snapshot.nodes.filter(
      ({ podsWithAffinity }) => podsWithAffinity.length > 0,
    );
    snapshot.nodesWithRequiredAntiAffinity = snapshot.nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    );
  }

  /** Returns the whole content, for debugging. */
  dump(): readonly CachedNode[] {
    return Array.from(this.#nodes, ([name, { node, pods, requested, allocatable }]) => ({
      name,
      isDeleted: node === undefined,
      requested,
      allocatable,
      pods: pods.map(({ key }) => key),
      assumed: pods.filter(({ uid }) => this.#assumed.has(uid)).map(({ key }) => key),
    }));
  }

  #add(pod: PodInfo): void {
    const name = pod.pod.spec.nodeName ?? "";
    this.#nodeNamed(name).addPod(pod);
    this.#changed.add(name);
    this.#pods.set(pod.uid, pod);
  }

  /** Replaces a pod by a newer version; returns whether nothing else has to change. */
  #swap(known: PodInfo, pod: PodInfo): boolean {
    const name = pod.pod.spec.nodeName ?? "";
    if (known.pod.spec.nodeName !== name) return false;
    if (!this.#nodes.get(name)?.swapPod(known, pod)) return false;
    this.#changed.add(name);
    this.#pods.set(pod.uid, pod);
    this.#assumed.delete(pod.uid);
    return true;
  }

  #remove(pod: PodInfo): void {
    const name = pod.pod.spec.nodeName ?? "";
    const info = this.#nodes.get(name);
    info?.removePod(pod.uid);
    this.#changed.add(name);
    if (info && !info.node && info.pods.length === 0) this.#nodes.delete(name);
    this.#pods.delete(pod.uid);
    this.#assumed.delete(pod.uid);
  }

  #nodeNamed(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (!info) {
      info = new NodeInfo();
      info.name = name;
      this.#nodes.set(name, info);
    }
    return info;
  }
}

/** Replaces a node in a snapshot. */
function replace(snapshot: NodeSnapshot, before: NodeInfo, now: NodeInfo): void {
  now.index = before.index;
  if (snapshot.nodes[now.index] === before) (snapshot.nodes as NodeInfo[])[now.index] = now;
}

/** Whether the lists of nodes with affinity pods must be rebuilt. */
const isAffinityOther = (before: NodeInfo | undefined, now: NodeInfo): boolean =>
  !before || before.podsWithAffinity.length > 0 || now.podsWithAffinity.length > 0;
