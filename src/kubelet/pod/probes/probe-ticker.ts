/**
 * The times of periodic probes, like those of Go's ticker: with a period of 10 s and a first tick at 5 s, a probe
 * that takes from 5 s to 27 s is followed by one at 27 s, for the tick at 15 s, and by one at 35 s.
 */
export class ProbeTicker {
  readonly #periodMs: number;
  /** The earliest tick that no probe has used. */
  #next: number;

  constructor(first: number, periodMs: number) {
    this.#next = first;
    this.#periodMs = Math.max(1, periodMs);
  }

  /** The first tick at a time or after it; earlier ones pass without a probe. */
  from(time: number): number {
    const missed = Math.max(0, Math.ceil((time - this.#next) / this.#periodMs));
    return this.#next + missed * this.#periodMs;
  }

  /** The time of the probe after the one that ends now. */
  after(now: number): number {
    return Math.max(now, this.#next);
  }

  /** A probe begins: it uses all ticks up to now. */
  begin(now: number): void {
    if (now >= this.#next) this.#next = this.from(now + 1);
  }

  /** Starts anew: the next tick is one period from now. */
  restart(now: number): void {
    this.#next = now + this.#periodMs;
  }
}
