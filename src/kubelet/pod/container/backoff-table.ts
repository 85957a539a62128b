import type { Clock } from "../../../base/clock.ts";

/**
 * How long who failed waits: 10 s at first, twice as long with every failure, at most 5 minutes, and
 * from the beginning again after 10 minutes without.
 */
export class BackoffTable {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { ms: number; updatedAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long it waits since a time; 0 where it does not. */
  waitSince(key: string, since: number): number {
    const entry = this.#entries.get(key);
    if (!entry || since - entry.updatedAt > forgetAfter) return 0;
    return Math.max(0, since + entry.ms - this.#clock.now());
  }

  /** How long it waits since it failed last. */
  waitSinceUpdate(key: string): number {
    const entry = this.#entries.get(key);
    return entry ? Math.max(0, entry.updatedAt + entry.ms - this.#clock.now()) : 0;
  }

  /** The wait that is in force. */
  get(key: string): number {
    return this.#entries.get(key)?.ms ?? 0;
  }

  /** Resets the backoff of a key that has succeeded. */
  reset(key: string): void {
    this.#entries.delete(key);
  }

  /** It has failed, at a time, once more. */
  next(key: string, at: number, { shortest, longest }: Bounds = usual): void {
    const entry = this.#entries.get(key);
    const ms =
      !entry || at - entry.updatedAt > forgetAfter ? shortest : Math.min(entry.ms * 2, longest);
    this.#entries.set(key, { ms, updatedAt: this.#clock.now() });
  }
}

/** How long a wait is at first, and at most. */
interface Bounds {
  readonly shortest: number;
  readonly longest: number;
}

const usual: Bounds = { shortest: 10_000, longest: 300_000 };
const forgetAfter = 600_000;
