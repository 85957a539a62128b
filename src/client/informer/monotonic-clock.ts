import type { Clock } from "../../base/clock.ts";

/** Wraps a clock: when the clock is set back, time stands still and then continues from there. */
export function monotonicClock(clock: Clock): Clock {
  let last = clock.now();
  let ahead = 0;
  return {
    now() {
      const now = clock.now();
      if (now < last) ahead += last - now;
      last = now;
      return now + ahead;
    },
    setTimer: (ms, fire) => clock.setTimer(ms, fire),
  };
}
