import type { Random } from "../../base/random.ts";
import type { NodeIds } from "./node-ids.ts";

/** Which pod has which block of the node's IDs. No two pods have the same. */
export class PodIds {
  readonly #ids: NodeIds;
  readonly #random: Random;
  /** The first ID of each pod, and which are used. */
  readonly #byPod = new Map<string, number>();
  readonly #used = new Set<number>();

  constructor(ids: NodeIds, random: Random) {
    this.#ids = ids;
    this.#random = random;
  }

  /** Allocates a free block to a pod; returns its first ID. */
  allocate(podUid: string): number {
    const { first, blocks, idsPerPod } = this.#ids;
    // Not the lowest: files that a pod leaves somewhere should not belong to the next one.
    const from = Math.floor(this.#random.next() * blocks);
    for (let i = 0; i < blocks; i++) {
      const candidate = first + ((from + i) % blocks) * idsPerPod;
      if (this.#used.has(candidate)) continue;
      this.#set(podUid, candidate);
      return candidate;
    }
    throw new Error("could not find an empty slot to allocate a user namespace");
  }

  /** Takes note of a block that a pod has; throws if it cannot have it. */
  record(podUid: string, from: number, length: number): void {
    const { first, blocks, idsPerPod } = this.#ids;
    if (length !== idsPerPod) throw new Error(`wrong user namespace length ${length}`);
    if (from % idsPerPod !== 0) throw new Error(`wrong user namespace offset specified ${from}`);
    const before = this.#byPod.get(podUid);
    if (before === from) return;
    const pod = JSON.stringify(podUid);
    if (before !== undefined)
      throw new Error(`different user namespace range already used by pod ${pod}`);
    if (from < first || from >= first + blocks * idsPerPod)
      throw new Error(`id ${from} is out of range`);
    if (this.#used.has(from)) throw new Error(`range picked for pod ${pod} already taken`);
    this.#set(podUid, from);
  }

  /** Frees the block of a pod, if it has one. */
  release(podUid: string): void {
    const from = this.#byPod.get(podUid);
    if (from === undefined) return;
    this.#byPod.delete(podUid);
    this.#used.delete(from);
  }

  #set(podUid: string, from: number): void {
    this.#byPod.set(podUid, from);
    this.#used.add(from);
  }
}
