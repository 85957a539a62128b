import type { Timer } from "../../base/clock.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { TaskState } from "./repair-tasks.ts";

/** How often the allocations are compared with the services. */
const repairMs = 3 * 60_000;

export interface RepairRoundsOptions {
  /** The name of its queue in metrics. */
  readonly queue: string;
  readonly run: () => Promise<{ readonly isSettled: boolean }>;
  readonly onError: (error: unknown) => void;
}

/**
 * Repeats a repair until it is closed. A round that needed no repair is not repeated before something
 * is written.
 */
export class RepairRounds {
  readonly #parts: Pick<OwnParts, "reader" | "environment">;
  readonly #options: RepairRoundsOptions;
  readonly #observer: QueueObserver<string> | undefined;
  /** The revision at which nothing needed repair. */
  #verified = -1;
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

  /** A fork need not run a round at once. */
  get state(): TaskState {
    return { isIdle: true, verifiedRevision: this.#verified };
  }

  /** Continues on a fork from the state of the parent. */
  resume({ verifiedRevision = -1 }: TaskState): void {
    this.#verified = verifiedRevision;
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
    if (cache.revision === this.#verified) return;
    const { revision } = cache;
    const { queue, run } = this.#options;
    this.#observer?.added(queue);
    this.#observer?.taken(queue);
    try {
      const { isSettled } = await run();
      this.#verified = isSettled ? revision : -1;
    } finally {
      this.#observer?.done(queue);
    }
  }
}
