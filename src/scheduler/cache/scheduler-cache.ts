import type { Node } from "../../api/core/v1/node/node.ts";
import { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import { ImageStates } from "./image-states.ts";
import { NodeSnapshot } from "./node-snapshot.ts";
import { NodeTree } from "./node-tree.ts";

/**
 * The nodes and the pods on them, as far as they are known or assumed. A pod is assumed on a node from
 * the moment in which that is decided; then it is either forgotten, because it could not be bound, or
 * confirmed, because the API server says where it is.
 *
 *     assume ──→ confirm (addPod) ──→ updatePod … ──→ removePod
 *        └─────→ forget
 */
export class SchedulerCache {
  /** Nodes by name, and pods on nodes that are not known yet, or no more. */
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, PodInfo>();
  readonly #assumed = new Set<string>();
  readonly #tree = new NodeTree();
  readonly #images = new ImageStates();
  /** Names of nodes that changed since the last snapshot, in order. */
  readonly #changed = new Set<string>();
  /** Whether nodes came or went, or moved to another zone. */
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

  /** A pod that is on a node, or assumed to be. */
  pod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid);
  }

  assume(pod: PodInfo): void {
    if (this.#pods.has(pod.uid))
      throw new Error(`pod ${pod.uid}(${pod.key}) is in the cache, so can't be assumed`);
    this.#add(pod);
    this.#assumed.add(pod.uid);
  }

  /** Takes back that a pod was assumed; does nothing where it is gone, and throws where it is there. */
  forget({ uid, key }: PodInfo): void {
    const known = this.#pods.get(uid);
    if (!known) return;
    if (!this.#assumed.has(uid))
      throw new Error(`pod ${uid}(${key}) wasn't assumed so cannot be forgotten`);
    this.#remove(known);
  }

  /** A pod is on a node, whether or not that was assumed. */
  addPod(pod: PodInfo): void {
    const known = this.#pods.get(pod.uid);
    if (known && this.#swap(known, pod)) return;
    if (known) this.#remove(known);
    this.#add(pod);
  }

  removePod(uid: string): void {
    const known = this.#pods.get(uid);
    if (known) this.#remove(known);
  }

  setNode(node: Node): void {
    const { name = "" } = node.metadata;
    const info = this.#nodeNamed(name);
    const old = info.node;
    if (old) {
      this.#tree.update(old, node);
      // Whoever keeps objects shares what did not change: mostly the images.
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
    // Its pods may still be on their way out.
    if (info.pods.length === 0) this.#nodes.delete(name);
  }

  /** Brings a snapshot up to date; only what changed is copied. */
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

  /** All that is known, for whoever looks into it. */
  dump(): readonly { readonly name: string; readonly pods: readonly string[] }[] {
    return Array.from(this.#nodes, ([name, { pods }]) => ({
      name,
      pods: pods.map(({ key, uid }) => (this.#assumed.has(uid) ? `${key} (assumed)` : key)),
    }));
  }

  #add(pod: PodInfo): void {
    const name = pod.pod.spec.nodeName ?? "";
    this.#nodeNamed(name).addPod(pod);
    this.#changed.add(name);
    this.#pods.set(pod.uid, pod);
  }

  /** Puts a pod in the place of what was known of it; whether that is all there is to do. */
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

/** Puts the new state of a node in the place of the old one. */
function replace(snapshot: NodeSnapshot, before: NodeInfo, now: NodeInfo): void {
  now.index = before.index;
  if (snapshot.nodes[now.index] === before) (snapshot.nodes as NodeInfo[])[now.index] = now;
}

/** Whether the lists of nodes with pods that care for others do not hold any more. */
const isAffinityOther = (before: NodeInfo | undefined, now: NodeInfo): boolean =>
  !before || before.podsWithAffinity.length > 0 || now.podsWithAffinity.length > 0;
