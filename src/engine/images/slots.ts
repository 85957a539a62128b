import { onAbort } from "../../base/on-abort.ts";

/** Lets only so many run at once; the others wait in order. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#free++;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.#free === 0)
      await new Promise<void>((resolve, reject) => {
        const settle = (act: () => void): void => {
          this.#waiting.delete(wake);
          unfollow();
          act();
        };
        const wake = (): void => settle(resolve);
        this.#waiting.add(wake);
        const unfollow = onAbort(signal, () => settle(() => reject(signal?.reason)));
      });
    this.#free--;
  }
}
