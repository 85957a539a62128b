import type { Node } from "../../api/core/v1/node/node.ts";
import { UsedPorts } from "./host-ports.ts";
import type { PodInfo } from "./pod-info.ts";
import { Resource, resourceOf } from "./resource.ts";

/** An image on some nodes. */
export interface ImageState {
  readonly size: number;
  /** The number of nodes that have it. */
  readonly nodes: number;
}

/** Pods of a node with the same namespace and labels. */
export interface SimilarPods {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly count: number;
}

/**
 * A node and its pods. In the scheduler's cache it is updated; in a snapshot it is constant, and plugins
 * clone it before they simulate changes.
 */
export class NodeInfo {
  #node: Node | undefined = undefined;
  name = "";
  labels: Readonly<Record<string, string>> = noLabels;
  /**
   * Removing a pod moves the last one to its place, and updating one moves it to the end. Among pods of
   * equal priority, preemption evicts the later ones first.
   */
  readonly pods: PodInfo[] = [];
  /** The pods with affinity or anti-affinity terms, and those with required anti-affinity. */
  readonly podsWithAffinity: PodInfo[] = [];
  readonly podsWithRequiredAntiAffinity: PodInfo[] = [];
  usedPorts = new UsedPorts();
  requested = new Resource();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  allocatable = new Resource();
  images: ReadonlyMap<string, ImageState> = noImages;
  /** The index in the snapshot's list of nodes. */
  index = -1;
  /** The number of pods that use a volume claim, by `NAMESPACE/NAME`. */
  readonly claims = new Map<string, number>();
  /** The pods by similarity key, without terminating ones. */
  readonly #similar = new Map<string, SimilarPods>();
  /** Increases with every change, across all nodes: the newer of two states has the higher number. */
  generation = nextGeneration();
  /** Numbers that plugins have derived from the pods, by `countKey`; cleared by every change. */
  #counts: Map<number, number> | undefined = undefined;

  /** The node; undefined if pods arrive before their node, or the node was deleted. */
  get node(): Node | undefined {
    return this.#node;
  }

  setNode(node: Node): void {
    this.#node = node;
    this.name = node.metadata.name ?? "";
    this.labels = node.metadata.labels ?? noLabels;
    this.allocatable = resourceOf(node.status.allocatable);
    this.#changed();
  }

  removeNode(): void {
    this.#node = undefined;
    this.#changed();
  }

  addPod(pod: PodInfo): void {
    this.pods.push(pod);
    if (hasAffinity(pod)) this.podsWithAffinity.push(pod);
    if (pod.terms.requiredAnti.length > 0) this.podsWithRequiredAntiAffinity.push(pod);
    this.#count(pod, 1);
    this.#countAlike(pod, 1);
    for (const port of pod.hostPorts) this.usedPorts.add(port);
    for (const claim of pod.claims) this.claims.set(claim, (this.claims.get(claim) ?? 0) + 1);
  }

  /** Removes a pod; returns false if it was not there. */
  removePod(uid: string): boolean {
    const pod = take(this.pods, uid);
    if (!pod) return false;
    take(this.podsWithAffinity, uid);
    take(this.podsWithRequiredAntiAffinity, uid);
    this.#count(pod, -1);
    this.#countAlike(pod, -1);
    for (const port of pod.hostPorts) this.usedPorts.remove(port);
    for (const claim of pod.claims) {
      const left = (this.claims.get(claim) ?? 0) - 1;
      if (left > 0) this.claims.set(claim, left);
      else this.claims.delete(claim);
    }
    return true;
  }

  /**
   * Replaces a pod by a version that uses the same resources, as most updates do; returns false if it
   * does not.
   */
  swapPod(old: PodInfo, now: PodInfo): boolean {
    // The pod that was added last is the most likely to change.
    const at = countsTheSame(old, now) ? this.pods.lastIndexOf(old) : -1;
    if (at < 0) return false;
    const last = this.pods.length - 1;
    this.pods[at] = this.pods[last] as PodInfo;
    this.pods[last] = now;
    this.generation = nextGeneration();
    return true;
  }

  /**
   * The pods grouped by namespace and labels, without terminating ones: few groups, even if there are
   * many pods.
   */
  get similarPods(): Iterable<SimilarPods> {
    return this.#similar.values();
  }

  /** Returns a number that was derived from the pods, if they have not changed since. */
  counted(key: number): number | undefined {
    return this.#counts?.get(key);
  }

  remember(key: number, count: number): void {
    if (!this.#counts || this.#counts.size >= mostCounts) this.#counts = new Map();
    this.#counts.set(key, count);
  }

  clone(): NodeInfo {
    const copy = new NodeInfo();
    copy.#node = this.#node;
    copy.name = this.name;
    copy.labels = this.labels;
    for (const pod of this.pods) copy.pods.push(pod);
    for (const pod of this.podsWithAffinity) copy.podsWithAffinity.push(pod);
    for (const pod of this.podsWithRequiredAntiAffinity)
      copy.podsWithRequiredAntiAffinity.push(pod);
    if (this.usedPorts.size > 0) copy.usedPorts = this.usedPorts.clone();
    copy.requested = this.requested.clone();
    copy.nonZeroMilliCpu = this.nonZeroMilliCpu;
    copy.nonZeroMemory = this.nonZeroMemory;
    // `allocatable` is replaced, never modified, and can be shared.
    copy.allocatable = this.allocatable;
    copy.images = this.images;
    for (const [claim, count] of this.claims) copy.claims.set(claim, count);
    for (const [similarityKey, alike] of this.#similar) copy.#similar.set(similarityKey, alike);
    copy.generation = this.generation;
    copy.index = this.index;
    return copy;
  }

  #count({ requests, nonZeroMilliCpu, nonZeroMemory }: PodInfo, sign: 1 | -1): void {
    this.requested.add(requests, sign);
    this.nonZeroMilliCpu += sign * nonZeroMilliCpu;
    this.nonZeroMemory += sign * nonZeroMemory;
    this.#changed();
  }

  #countAlike({ similarityKey, pod: { metadata } }: PodInfo, sign: 1 | -1): void {
    if (similarityKey === "") return;
    const count = (this.#similar.get(similarityKey)?.count ?? 0) + sign;
    const { namespace = "", labels } = metadata;
    if (count > 0) this.#similar.set(similarityKey, { namespace, labels, count });
    else this.#similar.delete(similarityKey);
  }

  #changed(): void {
    this.generation = nextGeneration();
    this.#counts = undefined;
  }
}

/** Returns the key of a text for `counted`. */
export function countKey(text: string): number {
  let key = countKeys.get(text);
  if (key === undefined) {
    // Keys in use stay valid; only new lookups get new keys.
    if (countKeys.size >= maxCountKeys) countKeys.clear();
    nextCountKey++;
    key = nextCountKey;
    countKeys.set(text, key);
  }
  return key;
}

const countKeys = new Map<string, number>();
const maxCountKeys = 10_000;
let nextCountKey = 0;

let generations = 0;
function nextGeneration(): number {
  generations++;
  return generations;
}

const mostCounts = 64;
const noLabels: Readonly<Record<string, string>> = {};
const noImages: ReadonlyMap<string, ImageState> = new Map();

const hasAffinity = ({ pod: { spec } }: PodInfo): boolean =>
  spec.affinity?.podAffinity !== undefined || spec.affinity?.podAntiAffinity !== undefined;

/** Whether two versions of a pod have the same totals, and neither is in one of the lists. */
const countsTheSame = (a: PodInfo, b: PodInfo): boolean =>
  a.similarityKey === b.similarityKey &&
  a.nonZeroMilliCpu === b.nonZeroMilliCpu &&
  a.nonZeroMemory === b.nonZeroMemory &&
  a.requests.equals(b.requests) &&
  isPlain(a) &&
  isPlain(b);

/** Whether a pod affects only the totals. */
const isPlain = (pod: PodInfo): boolean =>
  pod.hostPorts.length === 0 && pod.claims.length === 0 && !hasAffinity(pod);

/** Removes a pod from a list and moves the last one to its place. */
function take(pods: PodInfo[], uid: string): PodInfo | undefined {
  const at = pods.findIndex((pod) => pod.uid === uid);
  if (at < 0) return undefined;
  const found = pods[at];
  const last = pods.pop();
  if (last && last !== found) pods[at] = last;
  return found;
}
