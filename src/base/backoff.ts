import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

export interface Backoff {
  /** The first delay, in milliseconds. */
  readonly duration: number;
  /** The factor from one delay to the next; 0 or absent: the delay does not grow. */
  readonly factor?: number;
  /** A delay is drawn from [delay, delay × (1 + jitter)); jitter does not accumulate over steps. */
  readonly jitter?: number;
  /** How many times the delay may still grow. */
  readonly steps?: number;
  /** The delay that growth stops at, before jitter. */
  readonly cap?: number;
}

/** The delays of a backoff, one per call. */
export function delays(backoff: Backoff, random: Random): () => number {
  const { factor = 0, jitter = 0, cap = 0 } = backoff;
  let { duration, steps = 0 } = backoff;
  return () => {
    const delay = jittered(duration, jitter, random);
    if (steps > 0) {
      steps--;
      if (factor !== 0) duration *= factor;
      if (factor !== 0 && cap > 0 && duration > cap) {
        duration = cap;
        steps = 0;
      }
    }
    return delay;
  };
}

export interface Reset {
  readonly clock: Clock;
  /** How many milliseconds after its start a series of delays ends, and the next call starts over. */
  readonly after: number;
}

/** Like `delays`, but starts from the first delay again every so often. */
export function delaysWithReset(backoff: Backoff, random: Random, reset: Reset): () => number {
  if ((backoff.factor ?? 0) <= 0) return delays(backoff, random);
  const { clock, after } = reset;
  let next = delays(backoff, random);
  let start = clock.now();
  return () => {
    const now = clock.now();
    if (now - start > after) {
      next = delays(backoff, random);
      start = now;
    }
    return next();
  };
}

/** A duration plus a random part of at most `jitter` times itself. */
export function jittered(duration: number, jitter: number, random: Random): number {
  return jitter > 0 ? duration + random.next() * jitter * duration : duration;
}
