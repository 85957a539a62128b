import type { Clock } from "../../base/clock.ts";

/**
 * Microseconds since the epoch: the clock's time, with the fraction of `ticks`, so that the times of two events
 * differ by what lay between them. When the clock is set, it follows.
 */
export function wallMicros(clock: Pick<Clock, "now">, ticks: () => number): () => number {
  let start = Number.NaN;
  return () => {
    const now = clock.now();
    const elapsed = ticks();
    if (!(Math.abs(start + elapsed - now) <= mostApart)) start = now - elapsed;
    return Math.floor((start + elapsed) * 1000);
  };
}

/** The clock itself is a millisecond late at most. */
const mostApart = 2;
