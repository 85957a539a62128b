import type { Clock, Timer } from "../../src/base/clock.ts";
import { realClock } from "../../src/platform/real-clock.ts";

/** The machine's time, which a test can move forward: timers that become due fire. */
export interface MovableClock extends Clock {
  advance(ms: number): void;
}

export function movableClock(): MovableClock {
  const timers = new Set<{ due: number; fire: () => void; timer: Timer }>();
  let ahead = 0;
  const ticks = (): number => performance.now() + ahead;
  const arm = (due: number, run: () => void): Timer => realClock.setTimer(due - ticks(), run);
  return {
    now: () => realClock.now() + ahead,
    ticks,
    setTimer(ms, fire) {
      const due = ticks() + ms;
      const run = (): void => {
        timers.delete(entry);
        fire();
      };
      const entry = { due, fire: run, timer: arm(due, run) };
      timers.add(entry);
      return {
        cancel() {
          timers.delete(entry);
          entry.timer.cancel();
        },
      };
    },
    advance(ms) {
      ahead += ms;
      for (const entry of [...timers].sort((a, b) => a.due - b.due)) {
        entry.timer.cancel();
        entry.timer = arm(entry.due, entry.fire);
      }
    },
  };
}
