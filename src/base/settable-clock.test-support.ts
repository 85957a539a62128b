import type { Clock } from "./clock.ts";

/** A clock whose time can be set while its timers and its ticks go on evenly, like that of a machine. */
export interface SettableClock extends Clock {
  /** Sets the time so many milliseconds later, or earlier. */
  jump(ms: number): void;
}

/** Makes a clock settable that has no ticks of its own. */
export function settableClock(clock: Clock): SettableClock {
  let ahead = 0;
  return {
    now: () => clock.now() + ahead,
    ticks: () => clock.now(),
    setTimer: (ms, fire) => clock.setTimer(ms, fire),
    jump: (ms) => {
      ahead += ms;
    },
  };
}
