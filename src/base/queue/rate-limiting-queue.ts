import type { Clock } from "../clock.ts";
import { DelayingQueue } from "./delaying-queue.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { Queue, QueueObserver } from "./work-queue.ts";

export interface RateLimitingQueueOptions<T> {
  readonly clock: Clock;
  readonly limiter: RateLimiter<T>;
  /** Observes retries; the inner queue reports everything else. */
  readonly observer?: QueueObserver<T>;
}

/** Adds retries to a queue: a failed item is requeued after the delay that its limiter chooses. */
export class RateLimitingQueue<T> extends DelayingQueue<T> {
  readonly #limiter: RateLimiter<T>;

  constructor(queue: Queue<T>, options: RateLimitingQueueOptions<T>) {
    super(queue, options.clock, options.observer);
    this.#limiter = options.limiter;
  }

  /** Requeues an item after its limiter's delay. */
  addRateLimited(item: T, priority?: number): void {
    this.addAfter(item, this.#limiter.when(item), priority);
  }

  /** Resets the retries of an item that succeeded, or is not retried any more. Does not call `done`. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  requeues(item: T): number {
    return this.#limiter.requeues(item);
  }
}
