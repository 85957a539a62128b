import type { Clock, Timer } from "../../base/clock.ts";

export interface SilenceLimit {
  /** Something was heard: the time begins anew. */
  heard(): void;
  stop(): void;
}

/**
 * Says when nothing was heard for `ms`, up to a third late. It counts the timers that fire, so that
 * setting the clock does not matter; a clock that is far ahead of them, as after the sleep of a laptop,
 * means that nobody was there to hear.
 */
export function silenceLimit(clock: Clock, ms: number, onSilence: () => void): SilenceLimit {
  const step = ms / steps;
  let quietSteps = 0;
  let timer: Timer;
  const wait = (): void => {
    const due = clock.now() + step;
    timer = clock.setTimer(step, () => {
      quietSteps++;
      if (quietSteps > steps || clock.now() - due >= ms) onSilence();
      else wait();
    });
  };
  wait();
  return {
    heard() {
      quietSteps = 0;
    },
    stop: () => timer.cancel(),
  };
}

const steps = 3;
