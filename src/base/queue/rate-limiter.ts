import type { Clock } from "../clock.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Decides how long a failed item waits before it is retried. */
export interface RateLimiter<T> {
  /** Counts one more failure, and returns the delay in milliseconds. */
  when(item: T): number;
  /** Resets the failures of an item that succeeded, or is not retried any more. */
  forget(item: T): void;
  /** How often an item has failed since it was last forgotten. */
  requeues(item: T): number;
}

/**
 * The limiter of controllers: 5 ms to 1000 s per item by default, and 10 items a second after a burst of
 * 100 overall.
 */
export function controllerRateLimiter<T>(
  clock: Clock,
  { base = 5, max = 1_000_000 }: { base?: number; max?: number } = {},
): RateLimiter<T> {
  return slowestOf(
    itemBackoff({ base, max }),
    overallRate(new TokenBucket({ clock, rate: 10, burst: 100 })),
  );
}

/** Doubles an item's delay with each failure. */
export function itemBackoff<T>(delay: { base: number; max: number }): RateLimiter<T> {
  const failures = new Map<T, number>();
  const requeues = (item: T): number => failures.get(item) ?? 0;
  return {
    when(item) {
      const failed = requeues(item);
      failures.set(item, failed + 1);
      return Math.min(delay.base * 2 ** failed, delay.max);
    },
    forget: (item) => void failures.delete(item),
    requeues,
  };
}

/** Limits all items together. */
function overallRate<T>(bucket: TokenBucket): RateLimiter<T> {
  return { when: () => bucket.reserve(), forget() {}, requeues: () => 0 };
}

/** Asks every limiter, and takes the longest delay. */
export function slowestOf<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    when: (item) => Math.max(0, ...limiters.map((limiter) => limiter.when(item))),
    forget(item) {
      for (const limiter of limiters) limiter.forget(item);
    },
    requeues: (item) => Math.max(0, ...limiters.map((limiter) => limiter.requeues(item))),
  };
}
