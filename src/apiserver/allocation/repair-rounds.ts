import type { Timer } from "../../base/clock.ts";
import type { Registry } from "../registry.ts";

/** How often services and what they were allocated are compared. */
const repairMs = 3 * 60_000;

/**
 * Repeats a repair as long as it is not closed; a round after which nothing was written is not
 * repeated before something is.
 */
export class RepairRounds {
  readonly #registry: Registry;
  readonly #run: () => Promise<{ readonly isSettled: boolean }>;
  readonly #onError: (error: unknown) => void;
  /** The revision that was found to be well. */
  #well = -1;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(
    registry: Registry,
    run: () => Promise<{ readonly isSettled: boolean }>,
    onError: (error: unknown) => void,
  ) {
    this.#registry = registry;
    this.#run = run;
    this.#onError = onError;
  }

  /** The first round; it must succeed. */
  async start(): Promise<void> {
    await this.#round();
    this.#schedule();
  }

  /** Goes on with what another has done before a fork. */
  resume(from: RepairRounds): void {
    this.#well = from.#well;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = this.#registry.clock.setTimer(repairMs, () => {
      this.#round()
        .catch((error: unknown) => {
          if (!this.#isClosed) this.#onError(error);
        })
        .finally(() => this.#schedule());
    });
  }

  async #round(): Promise<void> {
    const { cache } = this.#registry;
    if (cache.revision === this.#well) return;
    const { revision } = cache;
    const { isSettled } = await this.#run();
    this.#well = isSettled ? revision : -1;
  }
}
