import type { Clock } from "../clock.ts";
import { DelayingQueue } from "./delaying-queue.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Queue, QueueObserver } from "./work-queue.ts";

export interface RateLimitingQueueOptions<T> {
  readonly clock: Clock;
  readonly limiter: RateLimiter<T>;
  /** Told of retries; of all else the queue below tells. */
  readonly observer?: QueueObserver<T>;
}

/** Adds to a queue that an item which failed comes back after a delay that its limiter decides. */
export class RateLimitingQueue<T> extends DelayingQueue<T> {
  readonly #limiter: RateLimiter<T>;

  constructor(queue: Queue<T>, options: RateLimitingQueueOptions<T>) {
    super(queue, options.clock, options.observer);
    this.#limiter = options.limiter;
  }

  /** Adds an item again once its limiter lets it. */
  addRateLimited(item: T, priority?: number): void {
    this.addAfter(item, this.#limiter.when(item), priority);
  }

  /** Ends the retries of an item: it succeeded, or was given up. Does not call `done`. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  requeues(item: T): number {
    return this.#limiter.requeues(item);
  }
}
