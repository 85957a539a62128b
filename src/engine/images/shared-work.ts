import { onAbort } from "../../base/on-abort.ts";

/**
 * Work that several callers may want at once: it is done once for each key, and aborted when the last
 * caller has given up.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  async run(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const running = await this.#join(key, work, signal);
    let unfollow = (): void => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      unfollow = onAbort(signal, () => reject(signal?.reason));
    });
    try {
      return await Promise.race([running.result, givenUp]);
    } finally {
      unfollow();
      running.callers--;
      if (running.callers === 0) {
        running.abort.abort();
        // Nothing goes on behind the back of the last caller.
        await running.result.catch(() => undefined);
      }
    }
  }

  async #join(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<Running<T>> {
    for (;;) {
      signal?.throwIfAborted();
      const running = this.#running.get(key) ?? this.#begin(key, work);
      if (!running.abort.signal.aborted) {
        running.callers++;
        return running;
      }
      // Aborted work still cleans up: it must not meet its successor.
      await running.result.catch(() => undefined);
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const abort = new AbortController();
    const result = work(abort.signal).finally(() => this.#running.delete(key));
    result.catch(() => undefined);
    const running = { result, abort, callers: 0 };
    this.#running.set(key, running);
    return running;
  }
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  callers: number;
}
