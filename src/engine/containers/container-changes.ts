import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { ContainerChange } from "./containers.ts";

export interface WaitOptions {
  /** The container whose changes are looked at. */
  readonly id: string;
  readonly timeoutMs?: number | undefined;
  readonly abort?: AbortSignal | undefined;
}

/** The changes of containers, and those who wait for them. */
export class ContainerChanges {
  readonly #clock: Clock;
  readonly #listeners = new Set<(change: ContainerChange) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notifies of every change from now on, in order, until the returned function is called. */
  listen(listener: (change: ContainerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(change: ContainerChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Resolves when something holds, which is checked at every change of a container, or after a time. */
  until(holds: () => boolean, { id, timeoutMs, abort }: WaitOptions): Promise<void> {
    if (holds() || abort?.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        forget();
        stopListening();
        timer?.cancel();
      };
      const done = (): void => {
        stop();
        resolve();
      };
      const forget = this.listen(({ container }) => {
        if (container.id !== id) return;
        try {
          if (holds()) done();
        } catch (error) {
          // The container is gone: that concerns who waits, not who removed it.
          stop();
          reject(error);
        }
      });
      const stopListening = onAbort(abort, done);
      const timer = timeoutMs === undefined ? undefined : this.#clock.setTimer(timeoutMs, done);
    });
  }
}
