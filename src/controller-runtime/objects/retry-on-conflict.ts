import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Backoff, delays } from "../../base/backoff.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";

/** For who competes with others over the same object. */
export const conflictRetry: Backoff = { steps: 5, duration: 10, factor: 1, jitter: 0.1 };

/** For who makes a change beside controllers that are busy with the object. */
export const conflictBackoff: Backoff = { steps: 4, duration: 10, factor: 5, jitter: 0.1 };

export interface RetryingOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often it is tried (`steps`), and how long is waited in between; `conflictRetry` if not given. */
  readonly backoff?: Backoff | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Does something again while others are faster; it must read what it changes each time. */
export function retryOnConflict<T>(work: () => Promise<T>, options: RetryingOptions): Promise<T> {
  return retryOnError(work, {
    ...options,
    isRetriable: (error) => StatusError.is(error, "Conflict"),
  });
}

/** Does something again while it fails for a reason that may pass; throws the last one. */
export async function retryOnError<T>(
  work: () => Promise<T>,
  options: RetryingOptions & { readonly isRetriable: (error: unknown) => boolean },
): Promise<T> {
  const { clock, random, backoff = conflictRetry, signal, isRetriable } = options;
  const nextDelay = delays(backoff, random);
  for (let left = backoff.steps ?? 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left <= 1 || !isRetriable(error)) throw error;
    }
    await sleep(clock, nextDelay(), signal);
  }
}
