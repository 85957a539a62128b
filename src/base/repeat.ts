import type { Clock, Timer } from "./clock.ts";

/** Calls back again and again, each time after so many milliseconds, until the timer is cancelled. */
export function repeat(clock: Clock, ms: number, call: () => void): Timer {
  let timer = clock.setTimer(ms, fire);
  function fire(): void {
    timer = clock.setTimer(ms, fire);
    call();
  }
  return { cancel: () => timer.cancel() };
}
