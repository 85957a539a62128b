import type { Clock, Timer } from "../../base/clock.ts";

export interface ZoneQueueOptions {
  readonly clock: Pick<Clock, "setTimer">;
  readonly ticks: () => number;
  /** Nodes a second. */
  readonly rate: number;
  /** Processes a node; false if that failed, and the node is queued again. */
  readonly work: (node: string) => Promise<boolean>;
}

/**
 * The nodes of a zone to evict, processed one after the other at a rate. A processed node is not queued
 * again until it is removed.
 *
 *     add n1, add n2, add n1 → n1, n2 wait
 *     run                    → n1 at once, n2 a period later
 *     add n1                 → nothing: it was processed
 *     remove n1, add n1      → n1 waits
 */
export class ZoneQueue {
  readonly #options: ZoneQueueOptions;
  readonly #known = new Set<string>();
  /** The nodes that are not processed yet, in order. */
  readonly #waiting = new Set<string>();
  #rate: number;
  /** When the next node may be processed: at most one is scheduled at a time. */
  #freeAt: number;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isClosed: boolean = false;

  constructor(options: ZoneQueueOptions) {
    this.#options = options;
    this.#rate = options.rate;
    this.#freeAt = options.ticks();
  }

  /** How many nodes are queued. */
  get length(): number {
    return this.#waiting.size;
  }

  add(node: string): void {
    if (this.#known.has(node)) return;
    this.#known.add(node);
    this.#waiting.add(node);
  }

  remove(node: string): void {
    this.#known.delete(node);
    this.#waiting.delete(node);
  }

  /** Changes the rate; the scheduled node is scheduled again at the new rate. */
  setRate(rate: number): void {
    if (rate === this.#rate) return;
    const now = this.#options.ticks();
    const isWaiting = this.#rate <= 0 || now < this.#freeAt;
    this.#rate = rate;
    this.#freeAt = isWaiting && rate > 0 ? now + 1000 / rate : now;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Processes the nodes that are due, and schedules the others. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #run(): Promise<void> {
    const { clock, ticks, work } = this.#options;
    while (!this.#isClosed && this.#rate > 0) {
      const [node] = this.#waiting;
      if (node === undefined) return;
      const wait = this.#freeAt - ticks();
      if (wait > 0) {
        this.#timer?.cancel();
        this.#timer = clock.setTimer(wait, () => void this.run());
        return;
      }
      this.#freeAt = ticks() + 1000 / this.#rate;
      // The node may be removed, and even added again, while it is processed.
      this.#waiting.delete(node);
      const isDone = await work(node);
      if (!isDone && this.#known.has(node)) this.#waiting.add(node);
    }
  }
}
