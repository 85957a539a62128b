import type { Clock, Timer } from "./clock.ts";

/** The calls of a clock with one period, and the timer that they share. */
class Ticks {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #calls = new Set<() => void>();
  #timer: Timer | undefined;

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  add(call: () => void): () => void {
    // A function may be added twice.
    const own = (): void => call();
    this.#calls.add(own);
    this.#timer ??= this.#wait();
    return () => {
      this.#calls.delete(own);
      if (this.#calls.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  #wait(): Timer {
    return this.#clock.setTimer(this.#periodMs, () => {
      this.#timer = this.#wait();
      for (const call of [...this.#calls]) if (this.#calls.has(call)) call();
    });
  }
}

const known = new WeakMap<Clock, Map<number, Ticks>>();

/**
 * Calls a function again and again, at the same times as all others of the clock that have the same period: one
 * timer is enough for them. The first call comes within a period. Returns how to end it.
 */
export function onSharedTicks(clock: Clock, periodMs: number, call: () => void): () => void {
  const periods = known.get(clock) ?? new Map<number, Ticks>();
  known.set(clock, periods);
  const ticks = periods.get(periodMs) ?? new Ticks(clock, periodMs);
  periods.set(periodMs, ticks);
  return ticks.add(call);
}
