import type { Clock, Timer } from "../../base/clock.ts";

export interface ZoneQueueOptions {
  readonly clock: Pick<Clock, "setTimer">;
  readonly ticks: () => number;
  /** Nodes a second. */
  readonly rate: number;
  /** Deals with a node; false: it did not work, and the node waits again. */
  readonly work: (node: string) => Promise<boolean>;
}

/**
 * The nodes of a zone that are to be given up, one after the other at a rate. A node that was dealt with
 * is not taken again until it is removed.
 *
 *     add n1, add n2, add n1 → n1, n2 wait
 *     run                    → n1 at once, n2 a period later
 *     add n1                 → nothing: it was dealt with
 *     remove n1, add n1      → n1 waits
 */
export class ZoneQueue {
  readonly #options: ZoneQueueOptions;
  readonly #known = new Set<string>();
  /** Those that were not dealt with yet, in order; all of them are known. */
  readonly #waiting = new Set<string>();
  #rate: number;
  /** When the next node may be dealt with: there is never more than one ahead of its time. */
  #freeAt: number;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isClosed: boolean = false;

  constructor(options: ZoneQueueOptions) {
    this.#options = options;
    this.#rate = options.rate;
    this.#freeAt = options.ticks();
  }

  /** How many wait. */
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

  /** Goes on at another rate; who waits for their turn now waits for one at the new rate. */
  setRate(rate: number): void {
    if (rate === this.#rate) return;
    const now = this.#options.ticks();
    const isWaiting = this.#rate <= 0 || now < this.#freeAt;
    this.#rate = rate;
    this.#freeAt = isWaiting && rate > 0 ? now + 1000 / rate : now;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Deals with those whose turn it is, and with others as time goes on. */
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
      // It may be removed, and even added anew, while it is dealt with.
      this.#waiting.delete(node);
      const isDone = await work(node);
      if (!isDone && this.#known.has(node)) this.#waiting.add(node);
    }
  }
}
