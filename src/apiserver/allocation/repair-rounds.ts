import type { Timer } from "../../base/clock.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { RunningState } from "./allocation-upkeep.ts";

/** How often services and what they were allocated are compared. */
const repairMs = 3 * 60_000;

export interface RepairRoundsOptions {
  /** The name that its rounds are counted under. */
  readonly queue: string;
  readonly run: () => Promise<{ readonly isSettled: boolean }>;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats a repair as long as it is not closed; a round after which nothing was written is not
 * repeated before something is.
 */
export class RepairRounds {
  readonly #parts: Pick<OwnParts, "reader" | "environment">;
  readonly #options: RepairRoundsOptions;
  readonly #observer: QueueObserver<string> | undefined;
  /** The revision that was found to be well. */
  #well = -1;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: Pick<OwnParts, "reader" | "environment">, options: RepairRoundsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#observer = parts.environment.queues?.(options.queue);
  }

  /** The first round; it must succeed. */
  async start(): Promise<void> {
    await this.#round();
    this.#schedule();
  }

  /** A round that is still to come has time. */
  get state(): RunningState {
    return { isAtRest: true, well: this.#well };
  }

  /** Goes on with what another has done before a fork. */
  resume({ well = -1 }: RunningState): void {
    this.#well = well;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = this.#parts.environment.clock.setTimer(repairMs, () => {
      this.#round()
        .catch((error: unknown) => {
          this.#observer?.retried();
          if (!this.#isClosed) this.#options.onError(error);
        })
        .finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const { cache } = this.#parts.reader;
    if (cache.revision === this.#well) return;
    const { revision } = cache;
    const { queue, run } = this.#options;
    this.#observer?.added(queue);
    this.#observer?.taken(queue);
    try {
      const { isSettled } = await run();
      this.#well = isSettled ? revision : -1;
    } finally {
      this.#observer?.done(queue);
    }
  }
}
