import { clearTimeout, setTimeout } from "node:timers";
import type { Clock, Timer } from "../base/clock.ts";

/**
 * The machine's time for one cluster. What is set ends with the cluster, and what would come late keeps
 * no process alive: nobody in a test waits for that.
 */
export class RealTime implements Clock {
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  now(): number {
    return machineTime();
  }

  setTimer(ms: number, fire: () => void): Timer {
    if (this.#isClosed || ms > longestMs) return { cancel: () => {} };
    const handle = setTimeout(
      () => {
        this.#timers.delete(handle);
        fire();
      },
      Math.max(0, ms),
    );
    if (ms > patienceMs) handle.unref();
    this.#timers.add(handle);
    return {
      cancel: () => {
        this.#timers.delete(handle);
        clearTimeout(handle);
      },
    };
  }

  /** Nothing fires any more. */
  close(): void {
    this.#isClosed = true;
    for (const handle of this.#timers) clearTimeout(handle);
    this.#timers.clear();
  }
}

// Taken before any test replaces it.
const machineTime = Date.now;

/** For how long a process waits that has nothing else to do. */
const patienceMs = 10_000;

/** More than this cannot be waited for; no cluster of a test lives that long. */
const longestMs = 2 ** 31 - 1;
