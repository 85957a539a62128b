import type { Node } from "../../api/core/v1/node/node.ts";
import { UsedPorts } from "./host-ports.ts";
import type { PodInfo } from "./pod-info.ts";
import { Resource, resourceOf } from "./resource.ts";

/** An image that nodes have. */
export interface ImageState {
  readonly size: number;
  /** How many nodes have it. */
  readonly nodes: number;
}

/** Pods of a node with the same namespace and labels. */
export interface AlikePods {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly count: number;
}

/**
 * A node and the pods on it. In the scheduler's cache it changes with them; in a snapshot it does not,
 * and whoever wants to try what would be makes a copy first.
 */
export class NodeInfo {
  #node: Node | undefined = undefined;
  name = "";
  labels: Readonly<Record<string, string>> = noLabels;
  /**
   * Its pods: one that goes leaves its place to the last, and one that changes goes and comes. Of pods of equal
   * importance, those that are first here are the last that have to go.
   */
  readonly pods: PodInfo[] = [];
  /** Those of the pods that say something of other pods, and that refuse to be near to some. */
  readonly podsWithAffinity: PodInfo[] = [];
  readonly podsWithRequiredAntiAffinity: PodInfo[] = [];
  usedPorts = new UsedPorts();
  requested = new Resource();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  allocatable = new Resource();
  images: ReadonlyMap<string, ImageState> = noImages;
  /** Where it is in a snapshot's list of nodes. */
  index = -1;
  /** How many pods use a claim of a volume. */
  readonly claims = new Map<string, number>();
  /** Its pods by their likeness, without those that are about to go. */
  readonly #alike = new Map<string, AlikePods>();
  /** Grows with every change, over all nodes: of two states of a node the later has the higher. */
  generation = nextGeneration();
  /** What plugins have counted among the pods, by a key of their own; forgotten with every change. */
  #counts: Map<number, number> | undefined = undefined;

  /** The node; there is none where pods were seen before it, or after it went. */
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

  /** Takes a pod away; whether it was there. */
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

  /** The same as to take one and to add another that counts for the same, as most changes leave it; whether it does. */
  swapPod(old: PodInfo, now: PodInfo): boolean {
    // What came last is most likely to change.
    const at = countsTheSame(old, now) ? this.pods.lastIndexOf(old) : -1;
    if (at < 0) return false;
    const last = this.pods.length - 1;
    this.pods[at] = this.pods[last] as PodInfo;
    this.pods[last] = now;
    this.generation = nextGeneration();
    return true;
  }

  /** Its pods by namespace and labels, without those that are about to go: few, where there are many pods. */
  get alikePods(): Iterable<AlikePods> {
    return this.#alike.values();
  }

  /** A number that was worked out of the pods, for as long as they stay the same. */
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
    // What a node has to give is replaced, never changed.
    copy.allocatable = this.allocatable;
    copy.images = this.images;
    for (const [claim, count] of this.claims) copy.claims.set(claim, count);
    for (const [likeness, alike] of this.#alike) copy.#alike.set(likeness, alike);
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

  #countAlike({ likeness, pod: { metadata } }: PodInfo, sign: 1 | -1): void {
    if (likeness === "") return;
    const count = (this.#alike.get(likeness)?.count ?? 0) + sign;
    const { namespace = "", labels } = metadata;
    if (count > 0) this.#alike.set(likeness, { namespace, labels, count });
    else this.#alike.delete(likeness);
  }

  #changed(): void {
    this.generation = nextGeneration();
    this.#counts = undefined;
  }
}

/** A key for `counted`, the same for the same text. */
export function countKey(text: string): number {
  let key = countKeys.get(text);
  if (key === undefined) {
    // Who had a key keeps it; others get new ones.
    if (countKeys.size >= mostCountKeys) countKeys.clear();
    nextCountKey++;
    key = nextCountKey;
    countKeys.set(text, key);
  }
  return key;
}

const countKeys = new Map<string, number>();
const mostCountKeys = 10_000;
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

/** Whether all that is added up of two pods is the same, and neither is in a list of its own. */
const countsTheSame = (a: PodInfo, b: PodInfo): boolean =>
  a.likeness === b.likeness &&
  a.nonZeroMilliCpu === b.nonZeroMilliCpu &&
  a.nonZeroMemory === b.nonZeroMemory &&
  a.requests.equals(b.requests) &&
  isPlain(a) &&
  isPlain(b);

/** Whether a pod only takes room. */
const isPlain = (pod: PodInfo): boolean =>
  pod.hostPorts.length === 0 && pod.claims.length === 0 && !hasAffinity(pod);

/** Takes a pod out of a list, and puts the last in its place. */
function take(pods: PodInfo[], uid: string): PodInfo | undefined {
  const at = pods.findIndex((pod) => pod.uid === uid);
  if (at < 0) return undefined;
  const found = pods[at];
  const last = pods.pop();
  if (last && last !== found) pods[at] = last;
  return found;
}
