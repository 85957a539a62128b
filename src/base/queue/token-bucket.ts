import type { Clock } from "../clock.ts";

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Tokens added per second. */
  readonly rate: number;
  /** How many tokens the bucket holds; it starts full. */
  readonly burst: number;
}

/** Lets a burst pass at once and the rest at a steady rate. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  /** Tokens at `#asOf`; below zero: reserved by callers that wait. */
  #tokens: number;
  #asOf: number;

  constructor(options: TokenBucketOptions) {
    this.#clock = options.clock;
    this.#perMs = options.rate / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#asOf = options.clock.now();
  }

  /** Reserves a token, and returns how many milliseconds to wait before using it. */
  reserve(): number {
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Takes a token if one is available. */
  tryTake(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  #fill(): void {
    const now = this.#clock.now();
    // A clock that was set back adds no tokens and removes none.
    const elapsed = Math.max(0, now - this.#asOf);
    this.#asOf = now;
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perMs);
  }
}
