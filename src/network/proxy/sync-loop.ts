import type { Clock, Timer } from "../../base/clock.ts";

export interface SyncLoopOptions {
  readonly clock: Clock;
  /** The least time between the starts of two runs, in milliseconds. */
  readonly minSyncMs: number;
  /** The longest time until a failed run is repeated; the first repetitions come sooner. */
  readonly retryMs: number;
  readonly sync: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Runs a function after it was woken, never twice at a time, and again if it failed. */
export class SyncLoop {
  readonly #options: SyncLoopOptions;
  #isWanted = false;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isClosed = false;

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  /** Has a run start that sees all that is known now. */
  wake(): void {
    this.#isWanted = true;
    this.#schedule(0);
  }

  /** Runs no more; resolves when a run that is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed || this.#running || this.#timer) return;
    const { clock, minSyncMs } = this.#options;
    const wait = Math.max(delayMs, this.#startedAt + minSyncMs - clock.now());
    // Without a wait, changes that arrive together still share a run: handlers are called in one turn.
    this.#timer = clock.setTimer(Math.max(0, wait), () => {
      this.#timer = undefined;
      this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, retryMs, sync, failed } = this.#options;
    this.#startedAt = clock.now();
    this.#isWanted = false;
    let delayMs = 0;
    try {
      await sync();
      this.#failures = 0;
    } catch (error) {
      this.#isWanted = true;
      delayMs = Math.min(retryMs, firstRetryMs * 2 ** this.#failures++);
      failed(error);
    }
    this.#running = undefined;
    if (this.#isWanted) this.#schedule(delayMs);
  }
}

const firstRetryMs = 100;
