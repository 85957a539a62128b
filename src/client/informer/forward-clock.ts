import type { Clock } from "../../base/clock.ts";

/** A clock that stands still where the one below is set back, and goes on from there. */
export function forwardClock(clock: Clock): Clock {
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
