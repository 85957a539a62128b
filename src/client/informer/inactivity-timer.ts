import type { Clock } from "../../base/clock.ts";
import { onSharedTicks } from "../../base/shared-ticks.ts";

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
  let seenAt = clock.now();
  const stop = onSharedTicks(clock, step, () => {
    const now = clock.now();
    const wasSuspended = now - seenAt >= step + ms;
    seenAt = now;
    idleSteps++;
    if (idleSteps <= steps && !wasSuspended) return;
    stop();
    onTimeout();
  });
  return {
    reset() {
      idleSteps = 0;
    },
    stop,
  };
}

const steps = 3;
