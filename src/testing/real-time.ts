import { clearTimeout, setTimeout } from "node:timers";
import type { Clock, Timer } from "../base/clock.ts";

/**
 * The machine's clock for one cluster. Timers end with the cluster, and long ones do not keep the
 * process alive, because no test waits for them.
 */
export class RealTime implements Clock {
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  now(): number {
    return machineTime();
  }

  setTimer(ms: number, fire: () => void): Timer {
    if (this.#isClosed || ms > longestMs) return { cancel: () => {} };
    const handle = setTimer(
      () => {
        this.#timers.delete(handle);
        fire();
      },
      Math.max(0, ms),
    );
    if (ms > maxRefMs) handle.unref();
    this.#timers.add(handle);
    return {
      cancel: () => {
        this.#timers.delete(handle);
        clearTimer(handle);
      },
    };
  }

  /** Cancels all timers. */
  close(): void {
    this.#isClosed = true;
    for (const handle of this.#timers) clearTimer(handle);
    this.#timers.clear();
  }
}

// Captured before a test runner can replace them.
const machineTime = Date.now;
const setTimer = setTimeout;
const clearTimer = clearTimeout;

/** Timers up to this length keep the process alive. */
const maxRefMs = 10_000;

/** The longest timer of Node; no test cluster runs that long. */
const longestMs = 2 ** 31 - 1;
