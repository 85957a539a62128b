import type { Clock, Timer } from "../../base/clock.ts";

export interface InactivityTimer {
  /** Restarts the timer. */
  reset(): void;
  stop(): void;
}

/**
 * Calls `onTimeout` after `ms` without a `reset`, up to a third late. It counts timer ticks, so that
 * setting the clock has no effect; a clock far ahead of the ticks means that the machine was suspended,
 * which counts as inactivity.
 */
export function inactivityTimer(clock: Clock, ms: number, onTimeout: () => void): InactivityTimer {
  const step = ms / steps;
  let idleSteps = 0;
  let timer: Timer;
  const wait = (): void => {
    const due = clock.now() + step;
    timer = clock.setTimer(step, () => {
      idleSteps++;
      if (idleSteps > steps || clock.now() - due >= ms) onTimeout();
      else wait();
    });
  };
  wait();
  return {
    reset() {
      idleSteps = 0;
    },
    stop: () => timer.cancel(),
  };
}

const steps = 3;
