import type { Clock } from "../../base/clock.ts";

/** A clock that can be set while its timers run, and that counts pending timers. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
  readonly pendingTimers: number;
}

export function jumpingClock(clock: Clock): JumpingClock {
  let offset = 0;
  let pendingTimers = 0;
  return {
    now: () => clock.now() + offset,
    setTimer(ms, fire) {
      pendingTimers++;
      let isOver = false;
      const over = (): void => {
        if (!isOver) pendingTimers--;
        isOver = true;
      };
      const timer = clock.setTimer(ms, () => {
        over();
        fire();
      });
      return {
        cancel() {
          over();
          timer.cancel();
        },
      };
    },
    jump(ms) {
      offset += ms;
    },
    get pendingTimers() {
      return pendingTimers;
    },
  };
}
