import { abortReason } from "../base/abort-reason.ts";
import type { Clock, Timer } from "../base/clock.ts";

export interface ApplyLoopOptions {
  readonly clock: Clock;
  /** The least time between the starts of two runs, in milliseconds. */
  readonly minIntervalMs: number;
  /** The longest time until a failed run is repeated, in milliseconds. */
  readonly maxRetryMs: number;
  readonly apply: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Runs a function for changes: never twice at a time, once for those that come together, and again if it fails. */
export class ApplyLoop {
  readonly #options: ApplyLoopOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #startedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;
  #waiting: Waiter[] = [];

  constructor(options: ApplyLoopOptions) {
    this.#options = options;
  }

  /** Has a run start that sees all changes so far. */
  wake(): void {
    this.#isWanted = true;
    const { clock, minIntervalMs } = this.#options;
    this.#schedule(Math.max(0, this.#startedAt + minIntervalMs - clock.now()));
  }

  /** Resolves when all changes so far are applied; does not wait for others to come together with them. */
  applied(): Promise<void> {
    if (this.#isClosed) return Promise.reject(abortReason);
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#isWanted = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#schedule(0);
    return done;
  }

  /** Runs no more; resolves when a run that is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { reject } of this.#waiting.splice(0)) reject(abortReason);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#running || this.#timer) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, minIntervalMs, maxRetryMs, apply, failed } = this.#options;
    this.#startedAt = clock.now();
    this.#isWanted = false;
    const waiting = this.#waiting.splice(0);
    let delayMs = minIntervalMs;
    try {
      await apply();
      this.#failures = 0;
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      this.#isWanted = true;
      delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.#failures++, 10));
      failed(error);
      for (const { reject } of waiting) reject(error);
    }
    this.#running = undefined;
    if (this.#isWanted) this.#schedule(this.#waiting.length > 0 ? 0 : delayMs);
  }
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

const firstRetryMs = 200;
