import { onAbort } from "./on-abort.ts";

/** Time as a dependency: the real one lives in platform, the one that tests move by hand beside this file. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds since an arbitrary start; where a clock has none, `now` is used. */
  ticks?(): number;
  /** Calls `fire` once, `ms` from now. Whoever sets a timer cancels it on shutdown. */
  setTimer(ms: number, fire: () => void): Timer;
  /** Calls `run` once what has happened outside meanwhile was received; only where there is an outside. */
  afterEvents?(run: () => void): void;
}

export interface Timer {
  /** Does nothing if the timer has fired or was cancelled already. */
  cancel(): void;
}

/** The monotonic time of a clock. */
export const ticksOf = (clock: Clock): (() => number) =>
  clock.ticks?.bind(clock) ?? (() => clock.now());

/**
 * Milliseconds since the epoch as of now, which go on evenly from then on although the machine's time may be set: for
 * measuring how long ago something was.
 */
export function steadyTimeOf(clock: Clock): () => number {
  const ticks = ticksOf(clock);
  const start = clock.now() - ticks();
  return () => start + ticks();
}

/** Thrown by `withDeadline` when the deadline passes before the work is done. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";

  constructor(ms: number) {
    super(`deadline of ${ms} ms exceeded`);
  }
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      unfollow();
      resolve();
    });
    const unfollow = onAbort(signal, abort);
  });
}

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
  /** Ends the work earlier, with its own reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that aborts at the deadline, and rejects then, whether or not the work
 * listens to the signal.
 */
export async function withDeadline<T>(
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, ms, signal: parent } = deadline;
  parent?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const ended = new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });
  const unfollow = onAbort(parent, () => controller.abort(parent?.reason));
  const timer = clock.setTimer(ms, () => controller.abort(new DeadlineExceeded(ms)));
  try {
    return await Promise.race([work(signal), ended]);
  } finally {
    timer.cancel();
    unfollow();
  }
}
