import type { Histogram } from "../../base/metrics.ts";

/** A number as a part of its limit, observed at the end of each nanosecond. */
export class TimedRatio {
  readonly #histogram: Histogram;
  readonly #ticks: () => number;
  #amount = 0;
  #limit = 1;
  #since: number;

  /** `ticks` are milliseconds of a clock that only goes forward. */
  constructor(histogram: Histogram, ticks: () => number) {
    this.#histogram = histogram;
    this.#ticks = ticks;
    this.#since = ticks();
  }

  add(amount: number): void {
    this.set(this.#amount + amount);
  }

  set(amount: number): void {
    this.observe();
    this.#amount = amount;
  }

  setLimit(limit: number): void {
    if (limit === this.#limit) return;
    this.observe();
    this.#limit = limit;
  }

  /** Observes the time until now. */
  observe(): void {
    const now = this.#ticks();
    const nanoseconds = Math.round((now - this.#since) * 1e6);
    this.#since = now;
    if (nanoseconds > 0) this.#histogram.observe(this.#amount / this.#limit, nanoseconds);
  }
}
