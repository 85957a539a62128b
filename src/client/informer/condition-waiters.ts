import { onAbort } from "../../base/on-abort.ts";

/** Promises that wait for conditions; the owner calls `settle` after each change. */
export class ConditionWaiters {
  #waiters: Waiter[] = [];
  #end: Error | undefined;

  /** Resolves when the condition holds; it is checked now and at each `settle`. */
  until(isDone: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (isDone()) return resolve();
      if (this.#end) return reject(this.#end);
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        isDone,
        end(error) {
          unfollow();
          if (error) reject(error);
          else resolve();
        },
      };
      const unfollow = onAbort(signal, abort);
      this.#waiters.push(waiter);
    });
  }

  /** Resolves the promises whose condition holds now. */
  settle(): void {
    if (this.#waiters.length === 0) return;
    const left: Waiter[] = [];
    const done: Waiter[] = [];
    for (const waiter of this.#waiters) (waiter.isDone() ? done : left).push(waiter);
    this.#waiters = left;
    for (const waiter of done) waiter.end();
  }

  /** Rejects all waiting promises, and later ones whose condition does not hold. */
  close(error: Error): void {
    this.#end = error;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.end(error);
  }
}

interface Waiter {
  readonly isDone: () => boolean;
  readonly end: (error?: Error) => void;
}
