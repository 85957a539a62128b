import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Backoff, delays } from "../../base/backoff.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";

/** The backoff of several clients that write the same object. */
export const conflictRetry: Backoff = { steps: 5, duration: 10, factor: 1, jitter: 0.1 };

/** The backoff of a client that writes an object which controllers write often. */
export const conflictBackoff: Backoff = { steps: 4, duration: 10, factor: 5, jitter: 0.1 };

export interface RetryingOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The number of attempts (`steps`) and the pauses between them; `conflictRetry` if not given. */
  readonly backoff?: Backoff | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Retries a function while it fails with a conflict; it must read the object in each attempt. */
export function retryOnConflict<T>(work: () => Promise<T>, options: RetryingOptions): Promise<T> {
  return retryOnError(work, {
    ...options,
    isRetriable: (error) => StatusError.is(error, "Conflict"),
  });
}

/** Retries a function while it fails with a temporary error; throws the last error. */
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
