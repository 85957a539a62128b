const longest = 32;

interface Second {
  readonly at: number;
  readonly dropped: number;
}

/**
 * How long rejected clients of a priority level are told to wait: the longer the more were rejected lately. Seconds
 * double while three requests a second are rejected, and shrink by one while it is less than one.
 */
export class DroppedRequests {
  #history: Second[] = [];
  #current = 0;
  #count = 0;
  #updated = 0;
  #retryAfter = 1;

  /** Seconds until a client should try again. */
  get retryAfter(): number {
    return this.#retryAfter;
  }

  /** Counts a rejected request; `now` is in whole seconds. */
  record(now: number): void {
    if (now === this.#current) {
      this.#count++;
      return;
    }
    const oldest = this.#current - Math.min(2 * this.#retryAfter, longest);
    this.#history.push({ at: this.#current, dropped: this.#count });
    this.#history = this.#history.filter(({ at }) => at >= oldest);
    this.#current = now;
    this.#count = 1;
    this.#update(now);
  }

  #update(now: number): void {
    const since = now - this.#retryAfter;
    const recent = this.#history.filter(({ at }) => at >= since && at < now);
    const dropped = recent.reduce((sum, second) => sum + second.dropped, 0);
    if (now - this.#updated >= this.#retryAfter && dropped >= 3 * this.#retryAfter) {
      this.#retryAfter = Math.min(this.#retryAfter * 2, longest);
      this.#updated = now;
    } else if (dropped < this.#retryAfter && this.#retryAfter > 1) {
      this.#retryAfter--;
    }
  }
}
