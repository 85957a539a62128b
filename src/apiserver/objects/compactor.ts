import type { Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Store, StoreError } from "../../store/store.ts";
import type { Registry } from "./registry.ts";

const usualInterval = 5 * 60_000;

/**
 * Forgets what has not been current for some minutes. Each round compacts to the revision that was
 * current at the round before; without writes there is no round.
 */
export class Compactor {
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #interval: number;
  #timer: Timer | undefined;
  #seen: number;
  #compacted = 0;

  /** An interval of 0 forgets nothing. */
  constructor(registry: Registry, log: Log, interval: number = usualInterval) {
    this.#registry = registry;
    this.#log = log;
    this.#interval = interval;
    this.#seen = registry.cache.revision;
    if (interval === 0) return;
    registry.cache.onChange = () => this.#schedule();
    this.#schedule();
  }

  /** Goes on where that of the same store was before its fork. */
  resume(from: Compactor): void {
    this.#seen = from.#seen;
    this.#compacted = from.#compacted;
  }

  close(): void {
    this.#timer?.cancel();
    this.#registry.cache.onChange = undefined;
  }

  #schedule(): void {
    this.#timer ??= this.#registry.clock.setTimer(this.#interval, () => {
      this.#timer = undefined;
      this.#round().catch((error: unknown) => this.#log.error("compaction failed", error));
    });
  }

  async #round(): Promise<void> {
    const target = this.#seen;
    this.#seen = this.#registry.cache.revision;
    if (target > this.#compacted) {
      await compactTo(this.#registry.store, target);
      this.#compacted = target;
    }
    if (this.#seen > this.#compacted) this.#schedule();
  }
}

/** Compacts a store on which another server may have gone further already. */
export async function compactTo(store: Store, revision: number): Promise<void> {
  try {
    await store.compact(revision);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "Compacted")) throw error;
  }
}
