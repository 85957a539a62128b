import type { Clock, Timer } from "../clock.ts";
import type { Queue, QueueObserver } from "./work-queue.ts";

/** Adds delayed enqueueing to a queue. */
export class DelayingQueue<T> implements Queue<T> {
  readonly #queue: Queue<T>;
  readonly #clock: Clock;
  /** The items whose delay has not passed, each with its one timer. */
  readonly #waiting = new Map<T, Waiting>();

  readonly #observer: Pick<QueueObserver<T>, "retried"> | undefined;

  constructor(queue: Queue<T>, clock: Clock, observer?: Pick<QueueObserver<T>, "retried">) {
    this.#queue = queue;
    this.#clock = clock;
    this.#observer = observer;
  }

  /**
   * Enqueues an item after `ms`. If it is delayed already, the earlier time and the higher priority win.
   */
  addAfter(item: T, ms: number, priority = 0): void {
    if (this.shuttingDown) return;
    this.#observer?.retried();
    if (ms <= 0) {
      this.add(item, priority);
      return;
    }
    const readyAt = this.#clock.now() + ms;
    const waits = this.#waiting.get(item);
    const highest = Math.max(waits?.priority ?? priority, priority);
    if (waits !== undefined && waits.readyAt <= readyAt) {
      waits.priority = highest;
      return;
    }
    waits?.timer.cancel();
    const timer = this.#clock.setTimer(ms, () => {
      const { priority } = this.#waiting.get(item) as Waiting;
      this.#waiting.delete(item);
      this.add(item, priority);
    });
    this.#waiting.set(item, { readyAt, timer, priority: highest });
  }

  /** How many items are delayed. */
  get delayed(): number {
    return this.#waiting.size;
  }

  get length(): number {
    return this.#queue.length;
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  get shuttingDown(): boolean {
    return this.#queue.shuttingDown;
  }

  add(item: T, priority?: number): void {
    this.#queue.add(item, priority);
  }

  get(): Promise<T | undefined> {
    return this.#queue.get();
  }

  done(item: T): void {
    this.#queue.done(item);
  }

  shutDown(): void {
    this.#cancelTimers();
    this.#queue.shutDown();
  }

  shutDownWithDrain(): Promise<void> {
    this.#cancelTimers();
    return this.#queue.shutDownWithDrain();
  }

  #cancelTimers(): void {
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}

/** A delayed item. */
interface Waiting {
  readonly readyAt: number;
  readonly timer: Timer;
  priority: number;
}
