import { type Clock, steadyTimeOf } from "../../../base/clock.ts";

/**
 * Backoffs by key: 10 s after the first failure, doubled with every failure up to 5 minutes, and reset after
 * 10 minutes without a failure.
 */
export class BackoffTable {
  readonly #clock: Clock;
  readonly #steady: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#steady = steadyTimeOf(clock);
  }

  /** The remaining backoff since a time; 0 if there is none. */
  waitSince(key: string, since: number): number {
    const entry = this.#entries.get(key);
    if (!entry || since - entry.updatedAt > forgetAfter) return 0;
    if (entry.since !== since) {
      // A clock that was set later must not prolong the wait.
      const ago = Math.max(0, this.#clock.now() - since);
      Object.assign(entry, { since, waitsFrom: this.#steady() - ago });
    }
    return Math.max(0, entry.waitsFrom + entry.ms - this.#steady());
  }

  /** The remaining backoff since the last failure. */
  waitSinceUpdate(key: string): number {
    const entry = this.#entries.get(key);
    return entry ? Math.max(0, entry.waitsFrom + entry.ms - this.#steady()) : 0;
  }

  /** The current backoff. */
  get(key: string): number {
    return this.#entries.get(key)?.ms ?? 0;
  }

  /** Resets the backoff of a key that has succeeded. */
  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** Records another failure at a time. */
  next(key: string, at: number, { shortest, longest }: BackoffBounds = usual): void {
    const entry = this.#entries.get(key);
    const ms =
      !entry || at - entry.updatedAt > forgetAfter ? shortest : Math.min(entry.ms * 2, longest);
    const waitsFrom = this.#steady();
    this.#entries.set(key, { ms, updatedAt: this.#clock.now(), since: undefined, waitsFrom });
  }
}

interface Entry {
  readonly ms: number;
  readonly updatedAt: number;
  /** The time whose wait was requested last. */
  since: number | undefined;
  /** The steady time at which the wait has begun. */
  waitsFrom: number;
}

/** The initial and the maximum backoff. */
export interface BackoffBounds {
  readonly shortest: number;
  readonly longest: number;
}

const usual: BackoffBounds = { shortest: 10_000, longest: 300_000 };
const forgetAfter = 600_000;
