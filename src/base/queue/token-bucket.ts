import type { Clock } from "../clock.ts";

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Tokens that come in per second. */
  readonly rate: number;
  /** How many tokens the bucket holds; it starts full. */
  readonly burst: number;
}

/** Lets a burst pass at once and the rest at a steady rate. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  /** Tokens at `#asOf`; below zero: promised to who waits. */
  #tokens: number;
  #asOf: number;

  constructor(options: TokenBucketOptions) {
    this.#clock = options.clock;
    this.#perMs = options.rate / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#asOf = options.clock.now();
  }

  /** Takes a token, now or ahead of time, and says how many milliseconds to wait before using it. */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #fill(): void {
    const now = this.#clock.now();
    // A clock that was set back brings no tokens, and takes none.
    const elapsed = Math.max(0, now - this.#asOf);
    this.#asOf = now;
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perMs);
  }
}
