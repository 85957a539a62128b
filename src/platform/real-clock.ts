import type { Clock, Timer } from "../base/clock.ts";

/** The machine's time. Its timers keep the process alive: their owners cancel them. */
export const realClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),

  setTimer(ms: number, fire: () => void): Timer {
    let left = Math.max(0, ms);
    let handle: NodeJS.Timeout;
    // setTimeout fires at once for delays above its maximum: long delays are split into steps.
    const step = (): void => {
      const next = Math.min(left, longestTimeout);
      left -= next;
      handle = setTimeout(left > 0 ? step : fire, next);
    };
    step();
    return { cancel: () => clearTimeout(handle) };
  },

  afterEvents: (run) => void setImmediate(run),
};

const longestTimeout = 2 ** 31 - 1;
